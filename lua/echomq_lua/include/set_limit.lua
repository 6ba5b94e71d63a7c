--- @include groups
-- Store a limit (nil drops it) and settle its lane; 1 if the stored field changed (VERB-lanes).
local function set_limit(name, text)
  local limits = base .. 'glimit'
  local before = call('HGET', limits, name)
  if before == (text or false) then
    return 0
  end
  local g = group_of(name)
  check_join(g)
  local was = is_serviceable(g)
  if text then
    call('HSET', limits, name, text)
  else
    call('HDEL', limits, name)
  end
  g.limit = positive(text)
  settle_group(g, was)
  return 1
end
