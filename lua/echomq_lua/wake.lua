#!lua flags=allow-oom
--- wake: leave a token if the ring or the schedule is not empty and none is there
--- @clause VERB-wake WAKE-1
--- @returns 1 if it left one, else 0
--- @include token
check_wake()
if wakes > 0 or (call('LLEN', base .. 'ring') == 0 and call('ZCARD', base .. 'schedule') == 0) then
  return 0
end
leave_token()
return 1
