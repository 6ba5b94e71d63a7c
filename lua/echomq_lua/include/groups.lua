--- @include keys
--- @include numbers
--- @include token
-- What a script knows of the groups that it touches: each is read once, changed here, and its book
-- is written once at the end by write_books(). Reading a group checks the types of its keys.
local groups, changed_books = {}, {}

local function group_of(name)
  local g = groups[name]
  if not g then
    g = {
      name = name,
      key = lane_key(name),
      n = counted(call('HGET', base .. 'gactive', name)),
      limit = positive(call('HGET', base .. 'glimit', name)),
    }
    groups[name] = g
  end
  return g
end

local function depth_of(g)
  g.depth = g.depth or call('ZCARD', g.key)
  return g.depth
end

local function is_paused(g)
  if g.paused == nil then
    g.paused = call('SISMEMBER', base .. 'paused', g.name) == 1
  end
  return g.paused
end

local function below_limit(g)
  return not g.limit or g.n < g.limit
end

-- RING-1.
local function is_serviceable(g)
  return depth_of(g) > 0 and below_limit(g) and not is_paused(g)
end

-- Read whatever a join of this group may write, before the first write.
local function check_join(g)
  depth_of(g)
  is_paused(g)
  check_wake()
  call('LLEN', base .. 'ring')
end

local function ring_join(g)
  call('RPUSH', base .. 'ring', g.name)
  leave_token()
end

-- A scan of the ring: only for the verbs that RING-5 excepts.
local function ring_leave(g)
  call('LREM', base .. 'ring', 0, g.name)
end

-- RING-3: bring the ring in line with a group that was serviceable before the change, or was not.
local function settle_group(g, was)
  local is = is_serviceable(g)
  if is and not was then
    ring_join(g)
  elseif was and not is then
    ring_leave(g)
  end
end

local function book_out(g)
  g.n = math.max(g.n - 1, 0)
  changed_books[g.name] = g
end

local function write_books()
  for name, g in pairs(changed_books) do
    if g.n > 0 then
      call('HSET', base .. 'gactive', name, g.n)
    else
      call('HDEL', base .. 'gactive', name)
    end
  end
  changed_books = {}
end
