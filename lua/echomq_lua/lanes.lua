#!lua flags=no-writes
--- lanes: what is known of each of these groups
--- @clause VERB-reads SETTING-1
--- @arg 1.. group text: one for each lane
--- @returns now_ms, then {depth, in flight, stored limit or '', stored weight or '', paused, oldest id or ''} for each
--- @include keys
--- @include numbers
--- @include now_ms
local answer = { now_ms() }
for i, group in ipairs(ARGV) do
  local lane = lane_key(group)
  answer[i + 1] = {
    call('ZCARD', lane),
    counted(call('HGET', base .. 'gactive', group)),
    call('HGET', base .. 'glimit', group) or '',
    call('HGET', base .. 'gweight', group) or '',
    call('SISMEMBER', base .. 'paused', group),
    call('ZRANGE', lane, 0, 0)[1] or '',
  }
end
return answer
