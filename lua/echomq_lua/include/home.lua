--- @include groups
-- Where a job without work in flight waits: its own lane, or the flat set for a foreign row
-- without a group, which touches no ring and no book.
local function check_home(group)
  if group then
    local g = group_of(group)
    check_join(g)
    return g
  end
  call('ZCARD', base .. 'pending')
end

-- `g` is nil for a row without a group; `was`: its lane was serviceable before this change.
local function put_home(g, id, was)
  if not g then
    call('ZADD', base .. 'pending', 0, id)
    return
  end
  g.depth = g.depth + call('ZADD', g.key, 0, id)
  settle_group(g, was)
end
