#!lua
--- enqueue_many: admit jobs in input order, each as enqueue would
--- @clause VERB-bulk VERB-enqueue
--- @arg 1.. id text, group text, payload bytes, delay_ms int, run_at_ms int or '': five for each item
--- @returns {verdicts as of enqueue, refusal or ''}
--- @include admit
--- @include bulk
return each_item(#ARGV / 5, function(i)
  local at = i * 5
  return admit(ARGV[at - 4], ARGV[at - 3], ARGV[at - 2], ARGV[at - 1], ARGV[at])
end)
