#!lua flags=allow-oom
--- fsck_books: compare the books with what is active, and recount them
--- @clause VERB-fsck BOOK-1 KEYS-6 CONN-5
--- @arg 1 repair 1 or 0
--- @returns {group, stored text or false, true count} for each wrong book
--- @include recount
check_recount()
local wrong = wrong_books()
local answer = {}
for i, entry in ipairs(wrong) do
  answer[i] = { entry[1], entry[3], entry[2] }
end
if ARGV[1] == '1' and #wrong > 0 then
  recount()
end
return answer
