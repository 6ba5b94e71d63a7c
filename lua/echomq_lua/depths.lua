#!lua flags=no-writes
--- depths: entries pending in each of these lanes
--- @clause VERB-reads
--- @arg 1.. group text: one for each lane
--- @returns depths in the order asked
--- @include keys
local depths = {}
for i, group in ipairs(ARGV) do
  depths[i] = call('ZCARD', lane_key(group))
end
return depths
