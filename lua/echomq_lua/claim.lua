#!lua flags=allow-oom
--- claim: one turn of the ring for one job
--- @clause VERB-claim VERB-turn RING-2 RING-5 TOKEN-1 GHOST-1 BOOK-1 BOOK-2 WAKE-2 CLOCK-1
--- @arg 1 lease_ms int
--- @returns {'job', id, group, payload, token, attempt, deadline_ms} | {'queue_paused' | 'ring_empty' | 'ghost'}
--- @include keys
--- @include numbers
-- Written flat: this is the hottest path of a consumer.
local lease = tonumber(ARGV[1])
local ring, active, books, wake = base .. 'ring', base .. 'active', base .. 'gactive', base .. 'wake'

if call('HEXISTS', meta, 'paused') == 1 then
  return { 'queue_paused' }
end
local heads = call('LRANGE', ring, 0, 1)
local group = heads[1]
if not group then
  return { 'ring_empty' }
end

-- Read and decide: the oldest real job within the headroom, past at most 1,000 ghosts.
local lane = base .. 'g:' .. group .. ':pending'
local limit = positive(call('HGET', base .. 'glimit', group))
local in_flight = counted(call('HGET', books, group))
local page = call('ZRANGE', lane, 0, 1)
local id, row
local at, ghosts, more = 1, 0, #page == 2
while not limit or in_flight < limit do
  local candidate = page[at]
  if not candidate then
    if not more then
      break
    end
    page, at = call('ZRANGE', lane, ghosts, ghosts + 99), 1
    more = #page == 100
  else
    local fields = call(
      'HMGET',
      base .. 'job:' .. candidate,
      'state',
      'group',
      'attempts',
      'payload',
      'forgiven',
      'lapsed'
    )
    at = at + 1
    if fields[1] == 'pending' and fields[2] == group then
      id, row = candidate, fields
      break
    end
    ghosts = ghosts + 1
    if ghosts == 1000 then
      break
    end
  end
end
local full = limit and in_flight + (id and 1 or 0) >= limit
local stays = not full and (page[at] ~= nil or (more and call('ZCARD', lane) > ghosts + (id and 1 or 0)))
local others = heads[2] ~= nil
local hand_on = (stays or others) and call('LLEN', wake) == 0

-- Write. The first write checks the type of `active` and tells whether an entry was there: then it
-- belongs to a life that was lost, and the books are recounted (BOOK-1).
local attempts, attempt, deadline, recount_books
if id then
  --- @include now_ms
  deadline = now_ms() + lease
  if call('ZADD', active, 'NX', deadline, id) == 0 then
    --- @include recount
    check_recount()
    call('ZADD', active, deadline, id)
    count_shift(group, 1)
    recount_books = recount
  end
end
if stays then
  call('LMOVE', ring, ring, 'LEFT', 'RIGHT')
else
  call('LPOP', ring)
end
if ghosts > 0 then
  call('ZREMRANGEBYRANK', lane, 0, ghosts - (id and 0 or 1))
elseif id then
  call('ZREM', lane, id)
end
if id then
  attempts = counted(row[3]) + 1
  attempt = attempts - counted(row[5])
  call('HSET', base .. 'job:' .. id, 'state', 'active', 'attempts', attempts)
  if row[6] then
    call('HDEL', base .. 'job:' .. id, 'lapsed')
  end
  call('HSET', books, group, in_flight + 1)
end
if recount_books then
  recount_books()
  hand_on = call('LLEN', ring) > 0 and call('LLEN', wake) == 0
end
if hand_on then
  call('LPUSH', wake, '1')
end
if not id then
  return { 'ghost' }
end
return { 'job', id, group, row[4], attempts, attempt, deadline }
