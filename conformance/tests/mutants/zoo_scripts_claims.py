"""Mutants of the Lua scripts, keys, admission, claims: the loader assembles the changed texts."""

from __future__ import annotations

from .mutant import Edit, Mutant

__all__ = ["MUTANTS"]


def _lua(name: str, clause: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"lua-{name}", clause, "scripts", (Edit(file, old, new),))


_WIRE = (
    _lua(
        "a-write-before-the-check",
        "KEYS-2b",
        "claim.lua",
        "  deadline = now_ms() + lease\n",
        "  call('HSET', base .. 'job:' .. id, 'state', 'active')\n  deadline = now_ms() + lease\n",
    ),
    _lua(
        "a-key-without-the-tag",
        "KEYS-1",
        "claim.lua",
        "local ring, active, books, wake = base .. 'ring', base .. 'active', base .. 'gactive',",
        "local ring, active, books, wake = base .. 'ring', base .. 'active', "
        "(string.gsub(base, '[{}]', '')) .. 'gactive',",
    ),
    _lua(
        "the-base-key-is-made",
        "KEYS-2",
        "include/admit.lua",
        "  local lane = base .. 'g:' .. group .. ':pending'\n",
        "  local lane = base .. 'g:' .. group .. ':pending'\n  call('SET', base, '1')\n",
    ),
    _lua(
        "a-row-expires",
        "CONN-6",
        "include/admit.lua",
        "  call('ZADD', lane, 0, id)\n",
        "  call('ZADD', lane, 0, id)\n  call('EXPIRE', row, 86400)\n",
    ),
    _lua(
        "admission-scans-the-ring",
        "RING-5",
        "include/admit.lua",
        "  call('ZADD', lane, 0, id)\n",
        "  call('ZADD', lane, 0, id)\n  call('LPOS', base .. 'ring', group)\n",
    ),
    _lua(
        "a-row-has-a-fifth-field",
        "WIRE-1",
        "include/admit.lua",
        "  call('ZADD', lane, 0, id)\n",
        "  call('ZADD', lane, 0, id)\n  call('HSET', row, 'priority', '0')\n",
    ),
    _lua(
        "a-flat-job-is-dropped",
        "WIRE-2",
        "include/home.lua",
        "    call('ZADD', base .. 'pending', 0, id)\n",
        "",
    ),
    _lua(
        "zero-is-a-limit",
        "SETTING-1",
        "include/numbers.lua",
        "string.find(text, '^[1-9]%d*$')",
        "string.find(text, '^%d+$')",
    ),
    _lua(
        "the-wrong-key-is-not-found",
        "ERR-wrong-type",
        "diagnose.lua",
        "  active = 'zset',\n",
        "",
    ),
)

_ADMISSION = (
    _lua(
        "duplicate-overwrites",
        "VERB-enqueue",
        "include/admit.lua",
        "  if call('HLEN', row) > 0 then\n",
        "  if call('HLEN', row) > 0 then\n    call('HSET', row, 'payload', payload)\n",
    ),
    _lua(
        "a-payload-is-a-number",
        "KEYS-5",
        "include/admit.lua",
        "  call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', payload,",
        "  call('HSET', row, 'state', 'pending', 'attempts', '0', 'payload', "
        "tonumber(payload) or payload,",
    ),
    _lua(
        "a-lane-joins-twice",
        "RING-1",
        "include/admit.lua",
        "  if call('ZCARD', lane) == 0 then\n",
        "  if call('ZCARD', lane) < 2 then\n",
    ),
    _lua(
        "join-at-the-head",
        "RING-3",
        "include/admit.lua",
        "    call('RPUSH', base .. 'ring', group)\n",
        "    call('LPUSH', base .. 'ring', group)\n",
    ),
    _lua(
        "a-second-token",
        "WAKE-1",
        "include/admit.lua",
        "    call('RPUSH', base .. 'ring', group)\n    if tokens == 0 then\n",
        "    call('RPUSH', base .. 'ring', group)\n    if tokens < 5 then\n",
    ),
    _lua(
        "scheduled-without-wake",
        "WAKE-4",
        "include/admit.lua",
        "      if tokens == 0 and call('ZRANGE', schedule, 0, 0)[1] == id then\n",
        "      if false then\n",
    ),
    _lua(
        "admission-knows-no-pause",
        "RING-1",
        "include/admit.lua",
        "    joins = call('SISMEMBER', base .. 'paused', group) == 0\n",
        "    joins = true\n",
    ),
    _lua(
        "admission-fills-a-full-lane",
        "RING-1",
        "include/admit.lua",
        "counted(call('HGET', base .. 'gactive', group)) < limit",
        "counted(call('HGET', base .. 'gactive', group)) <= limit",
    ),
    _lua(
        "a-place-by-the-clock",
        "KEYS-4",
        "include/admit.lua",
        "  call('ZADD', lane, 0, id)\n",
        "  call('ZADD', lane, call('ZCARD', lane), id)\n",
    ),
    _lua(
        "a-failure-midway-tells-nothing",
        "ERR-midway",
        "include/bulk.lua",
        "      return { verdicts, tostring(text) }\n",
        "      return { {}, tostring(text) }\n",
    ),
    _lua(
        "bulk-stops-at-a-duplicate",
        "VERB-bulk",
        "include/bulk.lua",
        "    verdicts[i] = answer\n",
        "    verdicts[i] = verdicts[i - 1] == 1 and 1 or answer\n",
    ),
)

_CLAIMS = (
    _lua("no-hand-on", "WAKE-2", "claim.lua", "if hand_on then\n", "if false then\n"),
    _lua(
        "no-hand-on-of-many",
        "WAKE-2",
        "include/turns.lua",
        "  if hand_on then\n",
        "  if hand_on and not single then\n",
    ),
    _lua(
        "limit-off-by-one",
        "BOOK-2",
        "include/turns.lua",
        "    c = math.min(c, lane.limit - lane.n)\n",
        "    c = math.min(c, lane.limit - lane.n + 1)\n",
    ),
    _lua(
        "many-know-no-queue-pause",
        "VERB-queue-pause",
        "include/turns.lua",
        "  if call('HEXISTS', meta, 'paused') == 1 then\n",
        "  if single and call('HEXISTS', meta, 'paused') == 1 then\n",
    ),
    _lua(
        "the-token-before-the-claim",
        "TOKEN-1",
        "claim.lua",
        "return { 'job', id, group, row[4], attempts, attempt, deadline }",
        "return { 'job', id, group, row[4], math.max(attempts - 1, 1), attempt, deadline }",
    ),
    _lua(
        "mark-is-never-cleared",
        "TOKEN-2",
        "claim.lua",
        "  if row[6] then\n",
        "  if row[6] == '' then\n",
    ),
    _lua(
        "claim-does-not-recount",
        "BOOK-1",
        "claim.lua",
        "if recount_books then\n",
        "if false and recount_books then\n",
    ),
    _lua(
        "a-stub-row-for-a-ghost",
        "GHOST-1",
        "claim.lua",
        "    ghosts = ghosts + 1\n",
        "    ghosts = ghosts + 1\n    call('HSET', base .. 'job:' .. candidate, 'attempts', 1)\n",
    ),
    _lua(
        "youngest-first-above-ten",
        "KEYS-4",
        "claim.lua",
        "local page = call('ZRANGE', lane, 0, 1)\n",
        "local page = call('ZRANGE', lane, 0, 1)\n"
        "if call('ZCARD', lane) > 10 then\n  page = call('ZRANGE', lane, -2, -1)\nend\n",
    ),
    _lua(
        "the-head-stays",
        "RING-2",
        "claim.lua",
        "  call('LMOVE', ring, ring, 'LEFT', 'RIGHT')\n",
        "  call('LMOVE', ring, ring, 'LEFT', 'LEFT')\n",
    ),
    _lua(
        "ghosts-without-end",
        "VERB-turn",
        "include/turns.lua",
        "  while c > 0 and ghosts_met < 1000 do\n",
        "  while c > 0 and ghosts_met < 5000 do\n",
    ),
    _lua(
        "a-weight-is-a-limit-of-turns",
        "VERB-weights",
        "wclaim.lua",
        "return take_turns(weight, weight, true,",
        "return take_turns(weight, 1, true,",
    ),
    _lua(
        "a-batch-of-several-lanes",
        "VERB-bclaim",
        "bclaim.lua",
        "return take_turns(n, n, true,",
        "return take_turns(n, n, false,",
    ),
    _lua(
        "many-from-one-lane",
        "VERB-claim_many",
        "claim_many.lua",
        "return take_turns(tonumber(ARGV[2]), 1, false,",
        "return take_turns(tonumber(ARGV[2]), tonumber(ARGV[2]), false,",
    ),
)

MUTANTS = (*_WIRE, *_ADMISSION, *_CLAIMS)
