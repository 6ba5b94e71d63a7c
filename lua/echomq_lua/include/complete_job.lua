--- @include groups
--- @include total
-- One completion (TOKEN-2): 'completed', 'gone' or 'stale'. write_books() must follow.
local function complete_late(id, group)
  local g = group_of(group)
  if not call('ZSCORE', g.key, id) then
    return 'stale'
  end
  local last = depth_of(g) == 1
  local was = last and is_serviceable(g)
  check_total('completed')
  if was then
    call('LLEN', base .. 'ring')
  end
  call('ZREM', g.key, id)
  g.depth = g.depth - 1
  call('DEL', row_key(id))
  if was then
    -- The lane sits near the tail, where reap put it (RING-5).
    call('LREM', base .. 'ring', -1, group)
  end
  add_total('completed', 1)
  return 'completed'
end

local function complete_job(id, token)
  local key = row_key(id)
  local row = call('HMGET', key, 'attempts', 'state', 'group', 'lapsed')
  if row[1] ~= token then
    return call('EXISTS', key) == 0 and 'gone' or 'stale'
  end
  local group = row[3]
  if row[2] == 'pending' and row[4] and group then
    return complete_late(id, group)
  end
  if row[2] ~= 'active' then
    return 'stale'
  end
  check_total('completed')
  local g = group and group_of(group)
  local was_full = g and not below_limit(g)
  if was_full then
    check_join(g)
  end
  if call('ZREM', base .. 'active', id) == 0 then
    return 'stale'
  end
  call('DEL', key)
  if g then
    book_out(g)
    if was_full and is_serviceable(g) then
      ring_join(g)
    end
  end
  add_total('completed', 1)
  return 'completed'
end
