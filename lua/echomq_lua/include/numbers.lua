-- A stored setting as a number, or nil where it is no positive integer (SETTING-1).
local function positive(text)
  return text and string.find(text, '^[1-9]%d*$') and tonumber(text) or nil
end

-- A stored count as a number; absent or unreadable is 0.
local function counted(text)
  return positive(text) or 0
end
