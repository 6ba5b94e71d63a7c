#!lua flags=allow-oom
--- drain: one bounded step of deleting a lane's pending jobs and rows
--- @clause VERB-drain GHOST-1 RING-3 CONN-5
--- @arg 1 group text
--- @arg 2 last_id text, '' in the first step, which fixes it
--- @returns {jobs deleted, last_id, 1 if there may be more}
--- @include groups
local g, last_id = group_of(ARGV[1]), ARGV[2]
if last_id == '' then
  last_id = call('ZRANGE', g.key, -1, -1)[1]
  if not last_id then
    return { 0, '', 0 }
  end
end
local ids = call('ZRANGE', g.key, '-', '[' .. last_id, 'BYLEX', 'LIMIT', 0, 500)
if #ids == 0 then
  return { 0, last_id, 0 }
end
local rows = {}
for _, id in ipairs(ids) do
  local row = call('HMGET', row_key(id), 'state', 'group')
  if row[1] == 'pending' and row[2] == g.name then
    rows[#rows + 1] = row_key(id)
  end
end
check_join(g)
local was = is_serviceable(g)
call('ZREM', g.key, unpack(ids))
if #rows > 0 then
  call('DEL', unpack(rows))
end
g.depth = g.depth - #ids
settle_group(g, was)
return { #rows, last_id, #ids == 500 and 1 or 0 }
