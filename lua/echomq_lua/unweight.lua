#!lua flags=allow-oom
--- unweight: drop a group's weight
--- @clause VERB-weights SETTING-1
--- @arg 1 group text
--- @returns 1 if there was a stored weight, else 0
--- @include keys
return call('HDEL', base .. 'gweight', ARGV[1])
