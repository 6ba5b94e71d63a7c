#!lua flags=allow-oom
--- fsck_settings: drop stored settings that are no positive integers, if they still are what was read
--- @clause VERB-fsck SETTING-1
--- @arg 1 book text, gactive's neighbour: glimit or gweight
--- @arg 2.. group text, stored text: two for each setting
--- @returns how many were dropped
--- @include keys
local dropped = 0
for i = 2, #ARGV, 2 do
  if call('HGET', base .. ARGV[1], ARGV[i]) == ARGV[i + 1] then
    dropped = dropped + call('HDEL', base .. ARGV[1], ARGV[i])
  end
end
return dropped
