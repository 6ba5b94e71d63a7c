#!lua flags=allow-oom
--- reassign: move a pending job to another lane
--- @clause VERB-reassign RING-3 RING-5 FIELD-1 WAKE-1
--- @arg 1 id text
--- @arg 2 group text
--- @returns 'reassigned' | 'noop' | 'not_found' | 'not_pending'
--- @include groups
local id, target_name = ARGV[1], ARGV[2]
local key = row_key(id)
local row = call('HMGET', key, 'state', 'group')
if not row[1] and call('EXISTS', key) == 0 then
  return 'not_found'
end
if row[1] ~= 'pending' or not row[2] or not call('ZSCORE', lane_key(row[2]), id) then
  return 'not_pending'
end
if row[2] == target_name then
  return 'noop'
end
local source, target = group_of(row[2]), group_of(target_name)
check_join(source)
check_join(target)
local source_was, target_was = is_serviceable(source), is_serviceable(target)

call('ZREM', source.key, id)
source.depth = source.depth - 1
call('HSET', key, 'group', target_name)
target.depth = target.depth + call('ZADD', target.key, 0, id)
settle_group(source, source_was)
settle_group(target, target_was)
return 'reassigned'
