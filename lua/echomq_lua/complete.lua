#!lua flags=allow-oom
--- complete: settle a job as done and delete its row
--- @clause VERB-complete TOKEN-1 TOKEN-2 BOOK-1 RING-3 RING-5 WAKE-1 KEYS-6
--- @arg 1 id text
--- @arg 2 token int
--- @returns 'completed' | 'gone' | 'stale'
--- @include complete_job
local verdict = complete_job(ARGV[1], ARGV[2])
write_completed()
return verdict
