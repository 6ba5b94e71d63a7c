#!lua flags=allow-oom
--- fsck_ring: hold these groups against the ring, and mend their membership
--- @clause VERB-fsck RING-1 WAKE-1 CONN-5
--- @arg 1 repair 1 or 0
--- @arg 2.. group text: one for each suspect
--- @returns {group, times on the ring, times that are right} for each that is wrong
--- @include groups
local repair = ARGV[1] == '1'
local times = {}
for i = 2, #ARGV do
  times[ARGV[i]] = 0
end
for _, name in ipairs(call('LRANGE', base .. 'ring', 0, -1)) do
  times[name] = times[name] and times[name] + 1
end
local wrong = {}
for i = 2, #ARGV do
  local g = group_of(ARGV[i])
  check_join(g)
  local found, right = times[g.name], is_serviceable(g) and 1 or 0
  if found ~= right then
    wrong[#wrong + 1] = { g.name, found, right }
  end
end
for _, entry in ipairs(repair and wrong or {}) do
  local g, found, right = group_of(entry[1]), entry[2], entry[3]
  if right == 0 then
    ring_leave(g)
  elseif found == 0 then
    ring_join(g)
  else
    call('LREM', base .. 'ring', 1 - found, g.name)
  end
end
return wrong
