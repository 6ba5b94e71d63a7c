#!lua flags=allow-oom
--- limit: set a group's ceiling of jobs in flight; may park or return its lane
--- @clause VERB-lanes BOOK-2 RING-1 RING-3 RING-5 WAKE-1 SETTING-1
--- @arg 1 group text
--- @arg 2 n int
--- @returns 1 if the stored limit changed, else 0
--- @include set_limit
return set_limit(ARGV[1], ARGV[2])
