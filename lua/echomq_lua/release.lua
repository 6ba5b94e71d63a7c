#!lua flags=allow-oom
--- release: give a job back to its lane at once; the attempt is forgiven
--- @clause VERB-release TOKEN-1 BOOK-1 FIELD-1 RING-3 RING-5 WAKE-1
--- @arg 1 id text
--- @arg 2 token int
--- @returns 'released' | 'gone' | 'stale'
--- @include home
local id, token = ARGV[1], ARGV[2]
local key = row_key(id)
local row = call('HMGET', key, 'attempts', 'state', 'group', 'forgiven')
if row[1] ~= token then
  return call('EXISTS', key) == 0 and 'gone' or 'stale'
end
if row[2] ~= 'active' then
  return 'stale'
end
local g = check_home(row[3])
local was = g and is_serviceable(g)
if call('ZREM', base .. 'active', id) == 0 then
  return 'stale'
end
call('HSET', key, 'state', 'pending', 'forgiven', counted(row[4]) + 1)
if g then
  book_out(g)
end
put_home(g, id, was)
write_books()
return 'released'
