--- @include keys
-- One extension: 'extended', 'gone' or 'stale'.
local function extend_job(id, token, deadline)
  local key = row_key(id)
  local row = call('HMGET', key, 'attempts', 'state')
  if row[1] ~= token then
    return call('EXISTS', key) == 0 and 'gone' or 'stale'
  end
  if row[2] ~= 'active' or not call('ZSCORE', base .. 'active', id) then
    return 'stale'
  end
  call('ZADD', base .. 'active', deadline, id)
  return 'extended'
end
