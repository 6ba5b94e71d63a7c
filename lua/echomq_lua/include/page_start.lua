--- @include keys
--- @include bytes_less
-- The rank at which a walk over a place goes on after (score, id); '' starts it (PAGE-1).
local function page_start(place, after_score, after_id)
  if after_score == '' then
    return 0
  end
  local score = call('ZSCORE', place, after_id)
  if score and tonumber(score) == tonumber(after_score) then
    return call('ZRANK', place, after_id) + 1
  end
  -- The entry to go on after is gone: skip those before it among the equal scores.
  local start = call('ZCOUNT', place, '-inf', '(' .. after_score)
  while true do
    local entry = call('ZRANGE', place, start, start, 'WITHSCORES')
    if not entry[1] or tonumber(entry[2]) ~= tonumber(after_score) or bytes_less(after_id, entry[1]) then
      return start
    end
    start = start + 1
  end
end
