#!lua flags=allow-oom
--- fsck_rows: find among these rows those that stand nowhere, and put them where they belong
--- @clause VERB-fsck STATE-1 FIELD-1 RING-3 WAKE-1
--- @arg 1 repair 1 or 0
--- @arg 2.. id text: one for each row
--- @returns {id, state, group or false} for each that stands nowhere
--- @include home
local repair = ARGV[1] == '1'
local lost, homes = {}, {}
for i = 2, #ARGV do
  local id = ARGV[i]
  local row = call('HMGET', row_key(id), 'state', 'group')
  local state, group = row[1], row[2]
  local places = {
    pending = group and lane_key(group) or base .. 'pending',
    active = base .. 'active',
    scheduled = base .. 'schedule',
    dead = base .. 'dead',
  }
  -- A state that is not ours belongs to a foreign feature: left alone.
  if places[state] and not call('ZSCORE', places[state], id) then
    lost[#lost + 1] = { id, state, group }
    if repair and state ~= 'dead' then
      homes[id] = check_home(group)
    end
  end
end
for _, row in ipairs(repair and lost or {}) do
  local id, g = row[1], homes[row[1]]
  if row[2] == 'dead' then
    call('ZADD', base .. 'dead', 0, id)
  else
    local was = g and is_serviceable(g)
    call('HSET', row_key(id), 'state', 'pending')
    call('HDEL', row_key(id), 'lapsed')
    put_home(g, id, was)
  end
end
return lost
