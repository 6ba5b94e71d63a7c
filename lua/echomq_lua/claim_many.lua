#!lua flags=allow-oom
--- claim_many: turns of one job each until n are served or the ring is empty
--- @clause VERB-claim_many VERB-turn RING-2 RING-5 TOKEN-1 GHOST-1 BOOK-1 BOOK-2 WAKE-2 CLOCK-1
--- @arg 1 lease_ms int
--- @arg 2 n int
--- @returns {'jobs', {id, group, payload, token, attempt, deadline_ms}...} | {'queue_paused' | 'ring_empty' | 'ghost'}
--- @include turns
return take_turns(tonumber(ARGV[2]), 1, false, tonumber(ARGV[1]))
