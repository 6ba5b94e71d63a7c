#!lua flags=allow-oom
--- extend_many: extend leases in input order, each as extend would
--- @clause VERB-bulk VERB-extend
--- @arg 1 lease_ms int
--- @arg 2.. id text, token int: two for each item
--- @returns {verdicts as of extend, refusal or ''}
--- @include extend_job
--- @include now_ms
--- @include bulk
local deadline = now_ms() + ARGV[1]
return each_item((#ARGV - 1) / 2, function(i)
  return extend_job(ARGV[2 * i], ARGV[2 * i + 1], deadline)
end)
