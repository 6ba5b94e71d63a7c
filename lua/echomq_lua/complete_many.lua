#!lua flags=allow-oom
--- complete_many: complete jobs in input order, each as complete would
--- @clause VERB-bulk VERB-complete
--- @arg 1.. id text, token int: two for each item
--- @returns {verdicts as of complete, refusal or ''}
--- @include complete_job
--- @include bulk
local answer = each_item(#ARGV / 2, function(i)
  return complete_job(ARGV[2 * i - 1], ARGV[2 * i])
end)
write_completed()
return answer
