--- @include groups
--- @include bytes_less
-- BOOK-1: recount all books from `active`. Costs time by what is in flight (CONN-5).
local function count_active()
  local counts, start = {}, 0
  repeat
    local ids = call('ZRANGE', base .. 'active', start, start + 999)
    for _, holder in ipairs(ids) do
      local fields = call('HMGET', row_key(holder), 'state', 'group')
      if fields[1] == 'active' and fields[2] then
        counts[fields[2]] = (counts[fields[2]] or 0) + 1
      end
    end
    start = start + 1000
  until #ids < 1000
  return counts
end

-- The groups whose book differs from the count, in byte order, as {group state, true count, text}.
local function wrong_books()
  local counts, wrong = count_active(), {}
  local book = call('HGETALL', base .. 'gactive')
  for i = 1, #book, 2 do
    local true_count = counts[book[i]] or 0
    counts[book[i]] = nil
    if tostring(true_count) ~= book[i + 1] then
      wrong[#wrong + 1] = { book[i], true_count, book[i + 1] }
    end
  end
  for name, true_count in pairs(counts) do
    wrong[#wrong + 1] = { name, true_count, false }
  end
  table.sort(wrong, function(a, b)
    return bytes_less(a[1], b[1])
  end)
  return wrong
end

-- Every read that a recount will make, before the first write.
local function check_recount()
  check_wake()
  call('LLEN', base .. 'ring')
  for name in pairs(count_active()) do
    depth_of(group_of(name))
  end
  local book = call('HKEYS', base .. 'gactive')
  for _, name in ipairs(book) do
    depth_of(group_of(name))
    is_paused(group_of(name))
  end
end

local function recount()
  -- What was read before the verb's own writes is old.
  groups = {}
  for _, entry in ipairs(wrong_books()) do
    local g = group_of(entry[1])
    local was = is_serviceable(g)
    g.n = entry[2]
    changed_books[g.name] = g
    settle_group(g, was)
  end
  write_books()
end
