--- @include keys
--- @include numbers
--- @include now_ms
-- The turn of claim_many, wclaim and bclaim (VERB-turn): reads and decides all turns on what it
-- loaded of the ring and the lanes, then writes once.
local turn_lanes, touched_lanes = {}, {}
local served, ghosts_met = {}, 0
local recount_books

local function open_lane(group, limit, in_flight, page_size)
  local key = lane_key(group)
  local page = call('ZRANGE', key, 0, page_size - 1)
  local lane = {
    group = group,
    key = key,
    limit = positive(limit),
    n = counted(in_flight),
    page = page,
    at = 1,
    more = #page == page_size,
    taken = 0,
    served = 0,
  }
  turn_lanes[group] = lane
  touched_lanes[#touched_lanes + 1] = lane
  return lane
end

local function next_entry(lane)
  local id = lane.page[lane.at]
  if not id and lane.more then
    lane.page = call('ZRANGE', lane.key, lane.taken, lane.taken + 99)
    lane.at, lane.more = 1, #lane.page == 100
    id = lane.page[1]
  end
  return id
end

-- Serve up to c jobs of a lane, within its headroom; answers whether the lane stays on the ring.
local function serve(lane, c)
  if lane.limit then
    c = math.min(c, lane.limit - lane.n)
  end
  while c > 0 and ghosts_met < 1000 do
    local id = next_entry(lane)
    if not id then
      break
    end
    local row = call('HMGET', row_key(id), 'state', 'group', 'attempts', 'payload', 'forgiven', 'lapsed')
    lane.at, lane.taken = lane.at + 1, lane.taken + 1
    if row[1] == 'pending' and row[2] == lane.group then
      served[#served + 1] = { id, lane.group, row }
      lane.n, lane.served = lane.n + 1, lane.served + 1
      c = c - 1
    else
      ghosts_met = ghosts_met + 1
    end
  end
  return (not lane.limit or lane.n < lane.limit) and next_entry(lane) ~= nil
end

-- The ring as loaded so far (`front`) and the lanes that went to its tail (`back`).
local front, back, front_at, back_at, whole

local function load_ring(window)
  front, back, front_at, back_at = call('LRANGE', base .. 'ring', 0, window - 1), {}, 1, 1
  whole = #front < window
end

local function next_group(window)
  if not front[front_at] and not whole then
    local start = #front
    local chunk = call('LRANGE', base .. 'ring', start, start + window - 1)
    for i, group in ipairs(chunk) do
      front[start + i] = group
    end
    whole = #chunk < window
  end
  if front[front_at] then
    front_at = front_at + 1
    return front[front_at - 1]
  end
  back_at = back_at + 1
  return back[back_at - 1]
end

local function write_ring(single)
  local ring = base .. 'ring'
  if single and back[1] then
    call('LMOVE', ring, ring, 'LEFT', 'RIGHT')
    return
  end
  if front_at > 1 then
    call('LPOP', ring, front_at - 1)
  end
  for start = back_at, #back, 1000 do
    call('RPUSH', ring, unpack(back, start, math.min(start + 999, #back)))
  end
end

local function write_jobs(deadline)
  local entries, books, ids = {}, {}, {}
  for i, job in ipairs(served) do
    ids[i] = job[1]
    entries[2 * i - 1], entries[2 * i] = deadline, job[1]
  end
  -- An entry that is there already belongs to a life that was lost: recount (BOOK-1).
  local recounts = false
  if #ids > 0 then
    for _, score in ipairs(call('ZMSCORE', base .. 'active', unpack(ids))) do
      recounts = recounts or score ~= false
    end
    if recounts then
      --- @include recount
      check_recount()
      for _, job in ipairs(served) do
        count_shift(job[2], 1)
      end
      recount_books = recount
    end
    call('ZADD', base .. 'active', unpack(entries))
  end
  local answer = { 'jobs' }
  for i, job in ipairs(served) do
    local row = job[3]
    local attempts = counted(row[3]) + 1
    call('HSET', row_key(job[1]), 'state', 'active', 'attempts', attempts)
    if row[6] then
      call('HDEL', row_key(job[1]), 'lapsed')
    end
    answer[i + 1] = { job[1], job[2], row[4], attempts, attempts - counted(row[5]), deadline }
  end
  for _, lane in ipairs(touched_lanes) do
    if lane.taken > 0 then
      call('ZREMRANGEBYRANK', lane.key, 0, lane.taken - 1)
    end
    if lane.served > 0 then
      books[#books + 1] = lane.group
      books[#books + 1] = lane.n
    end
  end
  return answer, books
end

-- `total` jobs in turns of `per_turn`; `single`: one turn only.
local function take_turns(total, per_turn, single, lease)
  if call('HEXISTS', meta, 'paused') == 1 then
    return { 'queue_paused' }
  end
  local window = single and 2 or total + 1
  load_ring(window)
  if not front[1] then
    return { 'ring_empty' }
  end
  local lookups = single and { front[1] } or front
  local limits = call('HMGET', base .. 'glimit', unpack(lookups))
  local in_flight = call('HMGET', base .. 'gactive', unpack(lookups))
  local page_size = whole and not single and math.ceil(total / #front) + 1 or per_turn + 1
  local looked_up = #lookups
  while #served < total and ghosts_met < 1000 do
    local group = next_group(window)
    if not group then
      break
    end
    local lane = turn_lanes[group]
    if not lane then
      local i = front_at - 1
      if i <= looked_up then
        lane = open_lane(group, limits[i], in_flight[i], page_size)
      else
        local limit = call('HGET', base .. 'glimit', group)
        lane = open_lane(group, limit, call('HGET', base .. 'gactive', group), page_size)
      end
    end
    if serve(lane, math.min(per_turn, total - #served)) then
      back[#back + 1] = group
    end
    if single then
      break
    end
  end
  local left = front[front_at] ~= nil
    or back[back_at] ~= nil
    or (not whole and call('LLEN', base .. 'ring') > #front)
  local hand_on = left and call('LLEN', base .. 'wake') == 0

  local deadline = now_ms() + lease
  local answer, books = write_jobs(deadline)
  write_ring(single)
  for start = 1, #books, 2000 do
    call('HSET', base .. 'gactive', unpack(books, start, math.min(start + 1999, #books)))
  end
  if recount_books then
    recount_books()
    hand_on = call('LLEN', base .. 'ring') > 0 and call('LLEN', base .. 'wake') == 0
  end
  if hand_on then
    call('LPUSH', base .. 'wake', '1')
  end
  if not answer[2] then
    return { 'ghost' }
  end
  return answer
end
