#!lua flags=allow-oom
--- reap: return expired jobs to their own lanes, by deadline then id
--- @clause VERB-reap CLOCK-1 GHOST-1 BOOK-1 TOKEN-2 FIELD-1 RING-3 RING-5 WAKE-1
--- @arg 1 limit int
--- @arg 2 max_attempts int or ''
--- @returns {returned, dead, dropped}
--- @include reap_jobs
--- @include recount
--- @include now_ms
local active = base .. 'active'
local expired = call('ZRANGE', active, '-inf', now_ms(), 'BYSCORE', 'LIMIT', 0, ARGV[1])
if #expired == 0 then
  return { 0, 0, 0 }
end
local jobs = {}
for _, id in ipairs(expired) do
  local row = expired_row(id)
  if row then
    jobs[#jobs + 1] = { id, row }
  end
end
local dropped = #expired - #jobs
check_reap(jobs, tonumber(ARGV[2]))
if dropped > 0 then
  check_recount()
end
call('ZREM', active, unpack(expired))
local dead = reap_jobs(jobs)
if dropped > 0 then
  for _, job in ipairs(jobs) do
    if job.g then
      count_shift(job.g.name, -1)
    end
  end
  recount()
end
return { #jobs - dead, dead, dropped }
