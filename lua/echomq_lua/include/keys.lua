-- The two declared keys; every other key is built from the base (KEYS-2).
local base, meta = KEYS[1], KEYS[2]
local call = redis.call

local function row_key(id)
  return base .. 'job:' .. id
end

local function lane_key(group)
  return base .. 'g:' .. group .. ':pending'
end
