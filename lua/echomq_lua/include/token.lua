--- @include keys
-- Wake tokens (WAKE-1). check_wake() reads before the first write, so that a key of another type
-- refuses the script while nothing is changed.
local wakes

local function check_wake()
  wakes = wakes or call('LLEN', base .. 'wake')
end

local function leave_token()
  if wakes == 0 then
    call('LPUSH', base .. 'wake', '1')
    wakes = 1
  end
end
