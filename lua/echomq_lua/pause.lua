#!lua flags=allow-oom
--- pause: park one lane; backlog and in-flight work untouched
--- @clause VERB-lanes RING-1 RING-5
--- @arg 1 group text
--- @returns 1 if it was not paused, else 0
--- @include keys
local group = ARGV[1]
call('LLEN', base .. 'ring')
local changed = call('SADD', base .. 'paused', group)
if changed == 1 then
  call('LREM', base .. 'ring', 0, group)
end
return changed
