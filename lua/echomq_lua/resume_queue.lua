#!lua flags=allow-oom
--- resume_queue: let claims serve again
--- @clause VERB-queue-pause WAKE-1
--- @returns 1 if it was paused, else 0
--- @include token
check_wake()
local changed = call('HDEL', meta, 'paused')
if changed == 1 then
  leave_token()
end
return changed
