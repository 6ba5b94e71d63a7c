--- @include keys
--- @include numbers
-- One completion (TOKEN-2): 'completed', 'gone' or 'stale'; write_completed() must follow. What is
-- read of books and totals is kept for the next item. Written flat: this is a hot path.
local in_flight, ceilings = {}, {}
local total, completed = nil, 0

local function complete_job(id, token)
  local key = base .. 'job:' .. id
  local row = call('HMGET', key, 'attempts', 'state', 'group', 'lapsed')
  if row[1] ~= token then
    return call('EXISTS', key) == 0 and 'gone' or 'stale'
  end
  local state, group = row[2], row[3]
  local late = state == 'pending' and row[4] and group
  if state ~= 'active' and not late then
    return 'stale'
  end
  total = total or tonumber(call('HGET', base .. 'metrics:completed', 'count')) or 0
  local lane = group and base .. 'g:' .. group .. ':pending'
  if late then
    if not call('ZSCORE', lane, id) then
      return 'stale'
    end
    local empties = call('ZCARD', lane) == 1 and call('LLEN', base .. 'ring') > 0
    call('ZREM', lane, id)
    call('DEL', key)
    if empties then
      -- The lane sits near the tail, where reap put it (RING-5).
      call('LREM', base .. 'ring', -1, group)
    end
    completed = completed + 1
    return 'completed'
  end
  local n, limit, joins, tokens
  if group then
    n = in_flight[group] or counted(call('HGET', base .. 'gactive', group))
    limit = ceilings[group]
    if limit == nil then
      limit = positive(call('HGET', base .. 'glimit', group))
      ceilings[group] = limit or false
    end
    -- RING-3: a full lane with work comes back when the count falls below its limit.
    joins = limit
      and n >= limit
      and n - 1 < limit
      and call('ZCARD', lane) > 0
      and call('SISMEMBER', base .. 'paused', group) == 0
    if joins then
      call('LLEN', base .. 'ring')
      tokens = call('LLEN', base .. 'wake')
    end
  end
  if call('ZREM', base .. 'active', id) == 0 then
    return 'stale'
  end
  call('DEL', key)
  if group then
    in_flight[group] = math.max(n - 1, 0)
  end
  if joins then
    call('RPUSH', base .. 'ring', group)
    if tokens == 0 then
      call('LPUSH', base .. 'wake', '1')
    end
  end
  completed = completed + 1
  return 'completed'
end

local function write_completed()
  for group, n in pairs(in_flight) do
    if n > 0 then
      call('HSET', base .. 'gactive', group, n)
    else
      call('HDEL', base .. 'gactive', group)
    end
  end
  if completed > 0 then
    call('HSET', base .. 'metrics:completed', 'count', total + completed)
  end
end
