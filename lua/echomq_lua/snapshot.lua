#!lua flags=no-writes
--- snapshot: the whole queue in one consistent read
--- @clause VERB-snapshot CONN-5
--- @arg 1 max_jobs int
--- @returns {'too_large', entries} | {'snapshot', now_ms, paused, ring, lanes, active, schedule, dead, rows,
--- @returns in flight, limits, weights, paused groups, completed, failed, tokens}
--- @include read_row
--- @include now_ms
local ring = call('LRANGE', base .. 'ring', 0, -1)
local books = call('HGETALL', base .. 'gactive')
local paused = call('SMEMBERS', base .. 'paused')

-- RING-6: every nonempty lane is named by the ring, by `paused` or by `gactive`.
local seen, lanes = {}, {}
local entries = call('ZCARD', base .. 'active')
  + call('ZCARD', base .. 'schedule')
  + call('ZCARD', base .. 'dead')
local function see(group)
  if not seen[group] then
    seen[group] = true
    local depth = call('ZCARD', lane_key(group))
    if depth > 0 then
      lanes[#lanes + 1] = group
      entries = entries + depth
    end
  end
end
for _, group in ipairs(ring) do
  see(group)
end
for i = 1, #books, 2 do
  see(books[i])
end
for _, group in ipairs(paused) do
  see(group)
end
if entries > tonumber(ARGV[1]) then
  return { 'too_large', entries }
end

local rows, read = {}, {}
local function read_ids(place, with_scores, step)
  local ids = with_scores and call('ZRANGE', place, 0, -1, 'WITHSCORES') or call('ZRANGE', place, 0, -1)
  for i = 1, #ids, step do
    local id = ids[i]
    if not read[id] then
      read[id] = true
      local row = read_row(id)
      if row then
        rows[#rows + 1] = row
      end
    end
  end
  return ids
end
local lane_ids = {}
for i, group in ipairs(lanes) do
  lane_ids[i] = { group, read_ids(lane_key(group), false, 1) }
end
return {
  'snapshot',
  now_ms(),
  call('HEXISTS', meta, 'paused'),
  ring,
  lane_ids,
  read_ids(base .. 'active', true, 2),
  read_ids(base .. 'schedule', true, 2),
  read_ids(base .. 'dead', false, 1),
  rows,
  books,
  call('HGETALL', base .. 'glimit'),
  call('HGETALL', base .. 'gweight'),
  paused,
  call('HGET', base .. 'metrics:completed', 'count') or '0',
  call('HGET', base .. 'metrics:failed', 'count') or '0',
  call('LLEN', base .. 'wake'),
}
