--- @include keys
-- A row as {id, state, attempts, payload, group, last_error, forgiven, lapsed}, false for a field
-- that is not there; nil without a row.
local function read_row(id)
  local row =
    call('HMGET', row_key(id), 'state', 'attempts', 'payload', 'group', 'last_error', 'forgiven', 'lapsed')
  if not row[1] and call('EXISTS', row_key(id)) == 0 then
    return nil
  end
  return { id, unpack(row, 1, 7) }
end
