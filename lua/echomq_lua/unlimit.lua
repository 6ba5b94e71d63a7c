#!lua flags=allow-oom
--- unlimit: drop a group's ceiling; may return its lane
--- @clause VERB-lanes BOOK-2 RING-1 RING-3 WAKE-1 SETTING-1
--- @arg 1 group text
--- @returns 1 if there was a stored limit, else 0
--- @include set_limit
return set_limit(ARGV[1], nil)
