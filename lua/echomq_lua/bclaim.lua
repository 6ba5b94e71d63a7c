#!lua flags=allow-oom
--- bclaim: one turn for up to n jobs of a single group
--- @clause VERB-bclaim VERB-turn RING-2 RING-5 TOKEN-1 GHOST-1 BOOK-1 BOOK-2 WAKE-2 CLOCK-1
--- @arg 1 lease_ms int
--- @arg 2 n int
--- @returns {'jobs', {id, group, payload, token, attempt, deadline_ms}...} | {'queue_paused' | 'ring_empty' | 'ghost'}
--- @include turns
local n = tonumber(ARGV[2])
return take_turns(n, n, true, tonumber(ARGV[1]))
