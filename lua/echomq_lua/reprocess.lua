#!lua flags=allow-oom
--- reprocess: send a dead job back to its own lane with all its attempts again
--- @clause VERB-reprocess FIELD-1 RING-3 RING-5 WAKE-1
--- @arg 1 id text
--- @returns 'reprocessed' | 'gone' | 'not_dead'
--- @include home
local id = ARGV[1]
local key = row_key(id)
local row = call('HMGET', key, 'state', 'group', 'attempts')
if not row[1] and call('EXISTS', key) == 0 then
  return 'gone'
end
if row[1] ~= 'dead' then
  return 'not_dead'
end
local g = check_home(row[2])
local was = g and is_serviceable(g)
if call('ZREM', base .. 'dead', id) == 0 then
  return 'not_dead'
end
call('HSET', key, 'state', 'pending', 'forgiven', counted(row[3]))
call('HDEL', key, 'last_error')
put_home(g, id, was)
return 'reprocessed'
