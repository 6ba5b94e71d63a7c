#!lua flags=no-writes
--- next_due: ms until the earliest due time or lease deadline
--- @clause VERB-next_due CLOCK-1
--- @returns {} when nothing waits, else {ms}
--- @include keys
--- @include now_ms
local earliest
for _, place in ipairs({ 'schedule', 'active' }) do
  local first = call('ZRANGE', base .. place, 0, 0, 'WITHSCORES')
  local score = tonumber(first[2])
  if score and (not earliest or score < earliest) then
    earliest = score
  end
end
if not earliest then
  return {}
end
return { math.max(earliest - now_ms(), 0) }
