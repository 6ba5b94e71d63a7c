#!lua flags=allow-oom
--- fsck_place: one bounded step of looking for ghosts in a place, and dropping them
--- @clause VERB-fsck GHOST-1 RING-3 CONN-5
--- @arg 1 place text, the key without the base
--- @arg 2 state text that a row standing there has
--- @arg 3 group text of a lane, else ''
--- @arg 4 after_score int or ''
--- @arg 5 after_id text
--- @arg 6 repair 1 or 0
--- @returns {ghost ids, 1 if there may be more, score and id to go on after}
--- @include groups
--- @include page_start
local place, state, group, after_score, after_id = base .. ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local start = page_start(place, after_score, after_id)
local page = call('ZRANGE', place, start, start + 499, 'WITHSCORES')
local ghosts = {}
for i = 1, #page, 2 do
  local row = call('HMGET', row_key(page[i]), 'state', 'group')
  if row[1] == state and (group == '' or row[2] == group) then
    after_score, after_id = page[i + 1], page[i]
  else
    ghosts[#ghosts + 1] = page[i]
    if ARGV[6] == '0' then
      after_score, after_id = page[i + 1], page[i]
    end
  end
end
if ARGV[6] == '1' and #ghosts > 0 then
  local g, was
  if group ~= '' then
    g = group_of(group)
    check_join(g)
    was = is_serviceable(g)
  end
  call('ZREM', place, unpack(ghosts))
  if g then
    g.depth = g.depth - #ghosts
    settle_group(g, was)
  end
end
return { ghosts, #page == 1000 and 1 or 0, after_score, after_id }
