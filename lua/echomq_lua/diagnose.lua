#!lua flags=no-writes
--- diagnose: after a refusal for a key's type, find that key
--- @clause ERR-wrong-type
--- @arg 1 ids int, how many of the names that follow are ids
--- @arg 2.. id or group text: names that the refused verb touched
--- @returns {} or {key, found type, expected type}
--- @include keys
local function wrong(key, expected)
  local found = call('TYPE', key).ok
  if found ~= expected and found ~= 'none' then
    return { key, found, expected }
  end
end

local queue_keys = {
  ring = 'list',
  active = 'zset',
  schedule = 'zset',
  dead = 'zset',
  gactive = 'hash',
  glimit = 'hash',
  gweight = 'hash',
  paused = 'set',
  meta = 'hash',
  wake = 'list',
  pending = 'zset',
  ['metrics:completed'] = 'hash',
  ['metrics:failed'] = 'hash',
}
for name, expected in pairs(queue_keys) do
  local answer = wrong(base .. name, expected)
  if answer then
    return answer
  end
end

local function wrong_row(id)
  local answer = wrong(row_key(id), 'hash')
  if answer or call('EXISTS', row_key(id)) == 0 then
    return answer
  end
  local group = call('HGET', row_key(id), 'group')
  return group and wrong(lane_key(group), 'zset')
end

local function wrong_lane(group)
  local answer = wrong(lane_key(group), 'zset')
  if answer then
    return answer
  end
  for _, id in ipairs(call('ZRANGE', lane_key(group), 0, 9)) do
    answer = answer or wrong_row(id)
  end
  return answer
end

for i = 2, #ARGV do
  local answer = i - 1 <= tonumber(ARGV[1]) and wrong_row(ARGV[i]) or wrong_lane(ARGV[i])
  if answer then
    return answer
  end
end
-- What claims, sweeps and reads would meet.
local ring = call('LRANGE', base .. 'ring', 0, 999)
for _, groups in ipairs({ ring, call('HKEYS', base .. 'gactive'), call('SMEMBERS', base .. 'paused') }) do
  for i = 1, math.min(#groups, 1000) do
    local answer = wrong_lane(groups[i])
    if answer then
      return answer
    end
  end
end
for _, place in ipairs({ 'active', 'schedule', 'dead', ring[1] and 'g:' .. ring[1] .. ':pending' }) do
  for _, id in ipairs(call('ZRANGE', base .. place, 0, 1999)) do
    local answer = wrong_row(id)
    if answer then
      return answer
    end
  end
end
return {}
