std = "lua51"
globals = {}
read_globals = { "redis", "KEYS", "ARGV" }
max_line_length = 120
-- An include brings functions that a script does not all use.
ignore = { "211", "221", "231", "331" }
