#!lua
--- enqueue: admit one job to its lane, or to the schedule when it is due later
--- @clause VERB-enqueue RING-3 RING-5 WAKE-1 WAKE-4 CLOCK-1 KEYS-2c
--- @arg 1 id text
--- @arg 2 group text
--- @arg 3 payload bytes
--- @arg 4 delay_ms int
--- @arg 5 run_at_ms int or ''
--- @returns 1 duplicate, else 0
--- @include admit
return admit(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5])
