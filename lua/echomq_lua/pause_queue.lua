#!lua flags=allow-oom
--- pause_queue: stop every claim of the queue
--- @clause VERB-queue-pause
--- @returns 1 if it was not paused, else 0
--- @include keys
return call('HSETNX', meta, 'paused', '1')
