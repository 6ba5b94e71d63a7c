#!lua flags=allow-oom
--- remove: delete one job wherever it stands
--- @clause VERB-remove BOOK-1 RING-3 RING-5 WAKE-1
--- @arg 1 id text
--- @arg 2 force 1 or 0
--- @returns 'removed' | 'gone' | 'active'
--- @include groups
local id, force = ARGV[1], ARGV[2] == '1'
local key = row_key(id)
local row = call('HMGET', key, 'state', 'group')
local state, group = row[1], row[2]
if not state and call('EXISTS', key) == 0 then
  return 'gone'
end
local g = group and group_of(group)
if g then
  check_join(g)
end
local was = g and is_serviceable(g)

if state == 'active' and call('ZSCORE', base .. 'active', id) then
  if not force then
    return 'active'
  end
  call('ZREM', base .. 'active', id)
  if g then
    book_out(g)
  end
elseif state == 'pending' and g then
  g.depth = g.depth - call('ZREM', g.key, id)
elseif state == 'pending' then
  call('ZREM', base .. 'pending', id)
elseif state == 'scheduled' then
  call('ZREM', base .. 'schedule', id)
elseif state == 'dead' then
  call('ZREM', base .. 'dead', id)
end
call('DEL', key)
if g then
  settle_group(g, was)
end
write_books()
return 'removed'
