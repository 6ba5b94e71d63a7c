#!lua flags=allow-oom
--- retry: settle a job as failed, to the schedule or, past its attempts, to dead
--- @clause VERB-retry TOKEN-1 TOKEN-2 BOOK-1 FIELD-1 RING-3 RING-5 WAKE-1 WAKE-4 CLOCK-1
--- @arg 1 id text
--- @arg 2 token int
--- @arg 3 delay_ms int
--- @arg 4 max_attempts int
--- @arg 5 error text
--- @returns 'scheduled' | 'dead' | 'gone' | 'stale'
--- @include groups
--- @include total
--- @include now_ms
local id, token, delay, max_attempts, failure = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local key = row_key(id)
local row = call('HMGET', key, 'attempts', 'state', 'group', 'forgiven')
if row[1] ~= token then
  return call('EXISTS', key) == 0 and 'gone' or 'stale'
end
if row[2] ~= 'active' then
  return 'stale'
end
local dies = counted(token) - counted(row[4]) >= max_attempts
local place = base .. (dies and 'dead' or 'schedule')
call('ZCARD', place)
if dies then
  check_total('failed')
else
  check_wake()
end
local g = row[3] and group_of(row[3])
local was_full = g and not below_limit(g)
if was_full then
  check_join(g)
end

if call('ZREM', base .. 'active', id) == 0 then
  return 'stale'
end
if dies then
  call('HSET', key, 'state', 'dead', 'last_error', failure)
  call('ZADD', place, 0, id)
  add_total('failed', 1)
else
  call('HSET', key, 'state', 'scheduled', 'last_error', failure)
  call('ZADD', place, now_ms() + delay, id)
end
if g then
  book_out(g)
  if was_full and is_serviceable(g) then
    ring_join(g)
  end
  write_books()
end
if not dies and call('ZRANGE', place, 0, 0)[1] == id then
  leave_token()
end
return dies and 'dead' or 'scheduled'
