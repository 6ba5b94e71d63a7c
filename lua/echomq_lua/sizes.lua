#!lua flags=no-writes
--- sizes: the sizes and totals of a queue that need no walk over its lanes
--- @clause VERB-stats
--- @returns {active, scheduled, dead, completed, failed, ring length, paused lanes, tokens}
--- @include keys
return {
  call('ZCARD', base .. 'active'),
  call('ZCARD', base .. 'schedule'),
  call('ZCARD', base .. 'dead'),
  call('HGET', base .. 'metrics:completed', 'count') or '0',
  call('HGET', base .. 'metrics:failed', 'count') or '0',
  call('LLEN', base .. 'ring'),
  call('SCARD', base .. 'paused'),
  call('LLEN', base .. 'wake'),
}
