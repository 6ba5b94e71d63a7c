--- @include groups
--- @include bytes_less
-- BOOK-1: recount all books from `active`. Costs time by what is in flight (CONN-5).
local function count_active()
  local counts, start = {}, 0
  repeat
    local holders = call('ZRANGE', base .. 'active', start, start + 999)
    for _, holder in ipairs(holders) do
      local fields = call('HMGET', row_key(holder), 'state', 'group')
      if fields[1] == 'active' and fields[2] then
        counts[fields[2]] = (counts[fields[2]] or 0) + 1
      end
    end
    start = start + 1000
  until #holders < 1000
  return counts
end

-- What `active` holds by group: read once, before the first write, then kept in step.
local true_counts

local function count_shift(name, by)
  true_counts[name] = (true_counts[name] or 0) + by
end

-- Every read that a recount will make.
local function check_recount()
  check_wake()
  call('LLEN', base .. 'ring')
  true_counts = count_active()
  local book = call('HKEYS', base .. 'gactive')
  for _, name in ipairs(book) do
    count_shift(name, 0)
  end
  for name in pairs(true_counts) do
    local g = group_of(name)
    depth_of(g)
    is_paused(g)
  end
end

-- The groups whose book differs from the count, in byte order, as {group, true count, stored text}.
local function wrong_books()
  local wrong = {}
  for name, true_count in pairs(true_counts) do
    local stored = call('HGET', base .. 'gactive', name)
    if (stored or '0') ~= tostring(true_count) or stored == '0' then
      wrong[#wrong + 1] = { name, true_count, stored }
    end
  end
  table.sort(wrong, function(a, b)
    return bytes_less(a[1], b[1])
  end)
  return wrong
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
