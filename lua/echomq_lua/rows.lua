#!lua flags=no-writes
--- rows: one page of a place: active, schedule (by time then id), dead or a lane (by id)
--- @clause VERB-reads PAGE-1 GHOST-1
--- @arg 1 place text, the key without the base
--- @arg 2 state text that a row standing there has
--- @arg 3 group text of a lane, else ''
--- @arg 4 after_score int or ''
--- @arg 5 after_id text
--- @arg 6 limit int
--- @returns {rows as of read_row, ghosts left out; score and id to go on after, '' at the end}
--- @include read_row
--- @include page_start
local place, state, group, after_score, after_id = base .. ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
local limit = tonumber(ARGV[6])
local start = page_start(place, after_score, after_id)
local page = call('ZRANGE', place, start, start + limit - 1, 'WITHSCORES')
local found = {}
for i = 1, #page, 2 do
  local row = read_row(page[i])
  if row and row[2] == state and (group == '' or row[5] == group) then
    found[#found + 1] = row
  end
end
if #page < 2 * limit then
  return { found, '', '' }
end
return { found, page[#page], page[#page - 1] }
