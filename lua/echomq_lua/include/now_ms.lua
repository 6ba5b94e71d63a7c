-- The server's clock in ms: the only clock of a script (CLOCK-1).
local function now_ms()
  local time = call('TIME')
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
