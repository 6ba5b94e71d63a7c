#!lua flags=allow-oom
--- extend: move the deadline of an active job to now + lease
--- @clause VERB-extend TOKEN-1 CLOCK-1
--- @arg 1 id text
--- @arg 2 token int
--- @arg 3 lease_ms int
--- @returns 'extended' | 'gone' | 'stale'
--- @include extend_job
--- @include now_ms
return extend_job(ARGV[1], ARGV[2], now_ms() + ARGV[3])
