-- Items of a bulk verb, one after another: each is atomic, and the first that is refused ends the
-- script. Answers the verdicts so far and the refusal, or '' (VERB-bulk).
local function each_item(count, item)
  local verdicts = {}
  for i = 1, count do
    local fine, answer = pcall(item, i)
    if not fine then
      local text = type(answer) == 'table' and answer.err or answer
      return { verdicts, tostring(text) }
    end
    verdicts[i] = answer
  end
  return { verdicts, '' }
end
