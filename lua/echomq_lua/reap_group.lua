#!lua flags=allow-oom
--- reap_group: one bounded step of reap for one group, past other groups' expired jobs
--- @clause VERB-reap_group CLOCK-1 BOOK-1 TOKEN-2 FIELD-1 RING-3 WAKE-1 CONN-5
--- @arg 1 group text
--- @arg 2 limit int
--- @arg 3 max_attempts int or ''
--- @arg 4 after_score int or ''
--- @arg 5 after_id text
--- @returns {returned, dead, 1 if there may be more, score and id to go on after}
--- @include reap_jobs
--- @include page_start
--- @include now_ms
local group, limit, after_score, after_id = ARGV[1], tonumber(ARGV[2]), ARGV[4], ARGV[5]
local active = base .. 'active'
local start = page_start(active, after_score, after_id)
local now = now_ms()
local page = call('ZRANGE', active, start, start + 499, 'WITHSCORES')
local jobs, ids = {}, {}
local more = #page == 1000
for i = 1, #page, 2 do
  if tonumber(page[i + 1]) > now or #jobs == limit then
    more = false
    break
  end
  local id = page[i]
  local row = expired_row(id)
  if row and row[2] == group then
    jobs[#jobs + 1], ids[#ids + 1] = { id, row }, id
  else
    -- Only what stays can be gone on after.
    after_score, after_id = page[i + 1], id
  end
end
local dead = 0
if #jobs > 0 then
  check_reap(jobs, tonumber(ARGV[3]))
  call('ZREM', active, unpack(ids))
  dead = reap_jobs(jobs)
end
return { #jobs - dead, dead, more and #jobs < limit and 1 or 0, after_score, after_id }
