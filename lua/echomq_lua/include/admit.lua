--- @include keys
-- One admission: answers 1 for a duplicate, which changes nothing, else 0. `delay` and `run_at` are
-- texts; an empty `run_at` means none. Written flat: this is the hottest path of a producer.
local function admit(id, group, payload, delay, run_at)
  local row = base .. 'job:' .. id
  if call('HLEN', row) > 0 then
    return 1
  end
  if run_at ~= '' or delay ~= '0' then
    --- @include now_ms
    local now = now_ms()
    local due = run_at ~= '' and tonumber(run_at) or now + delay
    if due > now then
      local schedule = base .. 'schedule'
      call('ZCARD', schedule)
      local tokens = call('LLEN', base .. 'wake')
      call('HSET', row, 'state', 'scheduled', 'attempts', '0', 'payload', payload, 'group', group)
      call('ZADD', schedule, due, id)
      -- WAKE-4: parked consumers shorten their park.
      if tokens == 0 and call('ZRANGE', schedule, 0, 0)[1] == id then
        call('LPUSH', base .. 'wake', '1')
      end
      return 0
    end
  end
  local lane = base .. 'g:' .. group .. ':pending'
  local joins, tokens = false, nil
  -- A nonempty lane is on the ring already if it may be (RING-5).
  if call('ZCARD', lane) == 0 then
    joins = call('SISMEMBER', base .. 'paused', group) == 0
    local limit = call('HGET', base .. 'glimit', group)
    if joins and limit then
      --- @include numbers
      limit = positive(limit)
      joins = not limit or counted(call('HGET', base .. 'gactive', group)) < limit
    end
    if joins then
      call('LLEN', base .. 'ring')
      tokens = call('LLEN', base .. 'wake')
    end
  end
  call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload, 'group', group)
  call('ZADD', lane, 0, id)
  if joins then
    call('RPUSH', base .. 'ring', group)
    if tokens == 0 then
      call('LPUSH', base .. 'wake', '1')
    end
  end
  return 0
end
