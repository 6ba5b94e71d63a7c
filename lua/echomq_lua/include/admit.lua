--- @include groups
--- @include now_ms
-- One admission: answers 1 for a duplicate, which changes nothing, else 0. `delay` and `run_at` are
-- texts; an empty `run_at` means none.
local function schedule_job(row, id, group, payload, due)
  local schedule = base .. 'schedule'
  call('ZCARD', schedule)
  check_wake()
  call('HSET', row, 'state', 'scheduled', 'attempts', '0', 'payload', payload, 'group', group)
  call('ZADD', schedule, due, id)
  -- WAKE-4: parked consumers shorten their park.
  if call('ZRANGE', schedule, 0, 0)[1] == id then
    leave_token()
  end
end

local function admit(id, group, payload, delay, run_at)
  local row = row_key(id)
  if call('HLEN', row) > 0 then
    return 1
  end
  if run_at ~= '' or delay ~= '0' then
    local now = now_ms()
    local due = run_at ~= '' and tonumber(run_at) or now + delay
    if due > now then
      schedule_job(row, id, group, payload, due)
      return 0
    end
  end
  local lane, g = lane_key(group), nil
  local joins = false
  -- A nonempty lane is on the ring already if it may be (RING-5).
  if call('ZCARD', lane) == 0 then
    g = group_of(group)
    joins = below_limit(g) and not is_paused(g)
    if joins then
      check_wake()
      call('LLEN', base .. 'ring')
    end
  end
  call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload, 'group', group)
  call('ZADD', lane, 0, id)
  if joins then
    ring_join(g)
  end
  return 0
end
