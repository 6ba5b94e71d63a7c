#!lua flags=allow-oom
--- wclaim: one turn for up to the head lane's weight
--- @clause VERB-weights VERB-turn RING-2 RING-5 TOKEN-1 GHOST-1 BOOK-1 BOOK-2 WAKE-2 CLOCK-1
--- @arg 1 lease_ms int
--- @returns {'jobs', {id, group, payload, token, attempt, deadline_ms}...} | {'queue_paused' | 'ring_empty' | 'ghost'}
--- @include turns
local head = call('LINDEX', base .. 'ring', 0)
local weight = head and positive(call('HGET', base .. 'gweight', head)) or 1
-- A weight above the largest claim can only come from a foreign hand.
weight = math.min(weight, 1000)
return take_turns(weight, weight, true, tonumber(ARGV[1]))
