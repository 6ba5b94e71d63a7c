#!lua flags=no-writes
--- explain: the facts about why a job or a lane is not being served, in one consistent read
--- @clause VERB-explain
--- @arg 1 id text or ''
--- @arg 2 group text or ''
--- @returns {now_ms, row or {}, score of the place it stands at or '', group or '', depth, in flight,
--- @returns stored limit or '', lane paused, queue paused, ring position or -1, lane position or -1,
--- @returns holders}
--- @include read_row
--- @include numbers
--- @include now_ms
local id, group = ARGV[1], ARGV[2]
local row, score, lane_position = {}, '', -1
if id ~= '' then
  row = read_row(id) or {}
  local state = row[2]
  group = row[5] or ''
  local places = { active = 'active', scheduled = 'schedule', dead = 'dead' }
  if places[state] then
    score = call('ZSCORE', base .. places[state], id) or ''
    group = ''
  elseif state == 'pending' then
    score = call('ZSCORE', group ~= '' and lane_key(group) or base .. 'pending', id) or ''
    if group ~= '' then
      lane_position = call('ZRANK', lane_key(group), id) or -1
    end
  end
end
local function facts()
  if group == '' then
    return 0, 0, '', 0, 0, -1, {}
  end
  local limit = call('HGET', base .. 'glimit', group)
  local in_flight = counted(call('HGET', base .. 'gactive', group))
  local holders = {}
  if positive(limit) and in_flight >= positive(limit) then
    local start = 0
    repeat
      local ids = call('ZRANGE', base .. 'active', start, start + 999)
      for _, holder in ipairs(ids) do
        local held = call('HMGET', row_key(holder), 'state', 'group')
        if held[1] == 'active' and held[2] == group and #holders < 10 then
          holders[#holders + 1] = holder
        end
      end
      start = start + 1000
    until #ids < 1000 or #holders == 10
  end
  return call('ZCARD', lane_key(group)),
    in_flight,
    limit or '',
    call('SISMEMBER', base .. 'paused', group),
    call('HEXISTS', meta, 'paused'),
    call('LPOS', base .. 'ring', group) or -1,
    holders
end
local depth, in_flight, limit, lane_paused, queue_paused, ring_position, holders = facts()
return {
  now_ms(),
  row,
  score,
  group,
  depth,
  in_flight,
  limit,
  lane_paused,
  queue_paused,
  ring_position,
  lane_position,
  holders,
}
