#!lua flags=allow-oom
--- promote: move due entries of the schedule to their lanes, by due time then id
--- @clause VERB-promote CLOCK-1 GHOST-1 RING-3 RING-5 WAKE-1
--- @arg 1 limit int
--- @returns {returned, dead, dropped}
--- @include home
--- @include now_ms
local schedule = base .. 'schedule'
local due = call('ZRANGE', schedule, '-inf', now_ms(), 'BYSCORE', 'LIMIT', 0, ARGV[1])
local real = {}
for _, id in ipairs(due) do
  local row = call('HMGET', row_key(id), 'state', 'group')
  if row[1] == 'scheduled' then
    real[#real + 1] = { id, check_home(row[2]) }
  end
end
if #due == 0 then
  return { 0, 0, 0 }
end
call('ZREM', schedule, unpack(due))
for _, job in ipairs(real) do
  local id, g = job[1], job[2]
  local was = g and is_serviceable(g)
  call('HSET', row_key(id), 'state', 'pending')
  put_home(g, id, was)
end
return { #real, 0, #due - #real }
