--- @include keys
-- Totals: read before the first write (its type is checked), written by the add.
local totals = {}

local function check_total(name)
  if not totals[name] then
    totals[name] = tonumber(call('HGET', base .. 'metrics:' .. name, 'count')) or 0
  end
end

local function add_total(name, n)
  totals[name] = totals[name] + n
  call('HSET', base .. 'metrics:' .. name, 'count', totals[name])
end
