#!lua flags=allow-oom
--- weight: set a group's share of one weighted turn
--- @clause VERB-weights SETTING-1
--- @arg 1 group text
--- @arg 2 n int
--- @returns 1 if the stored weight changed, else 0
--- @include keys
local weights = base .. 'gweight'
if call('HGET', weights, ARGV[1]) == ARGV[2] then
  return 0
end
call('HSET', weights, ARGV[1], ARGV[2])
return 1
