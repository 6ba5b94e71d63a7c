--- @include home
--- @include total
-- Expired jobs out of `active`: to their lanes with the mark of a lapsed lease (TOKEN-2), or to
-- `dead` once their attempts reach the maximum. Jobs are {id, row}, rows as read by expired_row().
local function expired_row(id)
  local row = call('HMGET', row_key(id), 'state', 'group', 'attempts', 'forgiven')
  return row[1] == 'active' and row or nil
end

local function dies_now(row, max_attempts)
  return max_attempts and counted(row[3]) - counted(row[4]) >= max_attempts
end

-- Every read that reap_jobs() makes, before the first write.
local function check_reap(jobs, max_attempts)
  if max_attempts then
    call('ZCARD', base .. 'dead')
    check_total('failed')
  end
  for _, job in ipairs(jobs) do
    local row = job[2]
    job.dies = dies_now(row, max_attempts)
    if row[2] or not job.dies then
      job.g = check_home(row[2])
    end
  end
end

local function reap_jobs(jobs)
  local dead = 0
  for _, job in ipairs(jobs) do
    local id, g = job[1], job.g
    local was = g and is_serviceable(g)
    if g then
      book_out(g)
    end
    if job.dies then
      dead = dead + 1
      call('HSET', row_key(id), 'state', 'dead', 'last_error', 'lease expired')
      call('ZADD', base .. 'dead', 0, id)
      if g then
        settle_group(g, was)
      end
    else
      if g then
        call('HSET', row_key(id), 'state', 'pending', 'lapsed', '1')
      else
        call('HSET', row_key(id), 'state', 'pending')
      end
      put_home(g, id, was)
    end
  end
  if dead > 0 then
    add_total('failed', dead)
  end
  write_books()
  return dead
end
