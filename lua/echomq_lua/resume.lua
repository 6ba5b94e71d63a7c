#!lua flags=allow-oom
--- resume: return a paused lane to the ring
--- @clause VERB-lanes RING-1 RING-3 WAKE-1
--- @arg 1 group text
--- @returns 1 if it was paused, else 0
--- @include groups
local g = group_of(ARGV[1])
check_join(g)
local changed = call('SREM', base .. 'paused', g.name)
if changed == 1 then
  g.paused = false
  settle_group(g, false)
end
return changed
