"""Mutants of the Lua scripts: the loader assembles the changed texts."""

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

_SETTLING = (
    _lua(
        "an-old-token-will-do",
        "TOKEN-1",
        "include/complete_job.lua",
        "  if row[1] ~= token then\n",
        "  if not row[1] or tonumber(row[1]) < tonumber(token) then\n",
    ),
    _lua(
        "late-complete-without-the-mark",
        "TOKEN-2",
        "include/complete_job.lua",
        "state == 'pending' and row[4] and group",
        "state == 'pending' and group",
    ),
    _lua(
        "complete-joins-without-wake",
        "WAKE-1",
        "include/complete_job.lua",
        "    if tokens == 0 then\n",
        "    if false then\n",
    ),
    _lua(
        "completed-is-not-counted",
        "STATE-2",
        "include/complete_job.lua",
        "total + completed)",
        "total + 0)",
    ),
    _lua(
        "a-zero-counter-is-kept",
        "KEYS-6",
        "include/complete_job.lua",
        "      call('HDEL', base .. 'gactive', group)\n",
        "      call('HSET', base .. 'gactive', group, 0)\n",
    ),
    _lua(
        "a-late-complete-leaves-the-lane-on-the-ring",
        "RING-1",
        "include/complete_job.lua",
        "      call('LREM', base .. 'ring', -1, group)\n",
        "",
    ),
    _lua(
        "extend-revives-a-reaped-job",
        "VERB-extend",
        "include/extend_job.lua",
        "  if row[2] ~= 'active' or not call('ZSCORE', base .. 'active', id) then\n",
        "  if row[2] == 'dead' then\n",
    ),
    _lua(
        "retry-leaves-its-lease",
        "STATE-1",
        "retry.lua",
        "if call('ZREM', base .. 'active', id) == 0 then\n",
        "if not call('ZSCORE', base .. 'active', id) then\n",
    ),
    _lua(
        "retry-keeps-the-slot",
        "BOOK-1",
        "retry.lua",
        "  book_out(g)\n",
        "",
    ),
    _lua(
        "retry-counts-the-forgiven",
        "FIELD-1",
        "retry.lua",
        "counted(token) - counted(row[4]) >= max_attempts",
        "counted(token) >= max_attempts",
    ),
    _lua(
        "release-forgives-nothing",
        "FIELD-1",
        "release.lua",
        "counted(row[4]) + 1)",
        "counted(row[4]))",
    ),
    _lua(
        "release-is-no-home",
        "VERB-release",
        "release.lua",
        "put_home(g, id, was)\n",
        "put_home(g, id, g.name ~= '')\n",
    ),
)

_SWEEPS = (
    _lua(
        "reap-to-the-first-lane",
        "STATE-1",
        "include/reap_jobs.lua",
        "    local id, g = job[1], job.g\n",
        "    local id, g = job[1], jobs[1].g\n",
    ),
    _lua(
        "reap-sets-no-mark",
        "TOKEN-2",
        "include/reap_jobs.lua",
        "'state', 'pending', 'lapsed', '1')",
        "'state', 'pending')",
    ),
    _lua(
        "reap-keeps-the-slot",
        "BOOK-1",
        "include/reap_jobs.lua",
        "      book_out(g)\n",
        "",
    ),
    _lua(
        "failed-is-not-counted",
        "FIELD-1",
        "include/reap_jobs.lua",
        "    add_total('failed', dead)\n",
        "",
    ),
    _lua(
        "reap-does-not-recount",
        "BOOK-1",
        "reap.lua",
        "  recount()\n",
        "",
    ),
    _lua(
        "recount-in-reverse",
        "BOOK-1",
        "include/bytes_less.lua",
        "      return x < y\n",
        "      return x > y\n",
    ),
    _lua(
        "promote-makes-rows",
        "GHOST-1",
        "promote.lua",
        "  if row[1] == 'scheduled' then\n",
        "  if row[1] ~= 'active' then\n",
    ),
    _lua(
        "one-group-only-on-the-first-page",
        "VERB-reap_group",
        "reap_group.lua",
        "start, start + 499, 'WITHSCORES')",
        "start, start + 99, 'WITHSCORES')",
    ),
    _lua(
        "seconds-for-milliseconds",
        "CLOCK-1",
        "include/now_ms.lua",
        "  return time[1] * 1000 + math.floor(time[2] / 1000)\n",
        "  return time[1] + math.floor(time[2] / 1000)\n",
    ),
)

_OPERATORS = (
    _lua(
        "pause-leaves-the-lane-on-the-ring",
        "RING-1",
        "pause.lua",
        "  call('LREM', base .. 'ring', 0, group)\n",
        "",
    ),
    _lua(
        "a-lane-that-leaves-stays",
        "RING-1",
        "include/groups.lua",
        "  call('LREM', base .. 'ring', 0, g.name)\n",
        "",
    ),
    _lua(
        "drain-forgets-the-rows",
        "VERB-drain",
        "drain.lua",
        "  call('DEL', unpack(rows))\n",
        "",
    ),
    _lua(
        "reassign-trusts-the-caller",
        "VERB-reassign",
        "reassign.lua",
        "call('ZREM', source.key, id)\n",
        "call('ZREM', target.key, id)\n",
    ),
    _lua(
        "remove-keeps-the-row",
        "VERB-remove",
        "remove.lua",
        "call('DEL', key)\n",
        "",
    ),
    _lua(
        "reprocess-starts-the-token-again",
        "TOKEN-1",
        "reprocess.lua",
        "'forgiven', counted(row[3]))",
        "'attempts', 0)",
    ),
    _lua(
        "resume-queue-without-wake",
        "WAKE-1",
        "resume_queue.lua",
        "  leave_token()\n",
        "",
    ),
    _lua(
        "wake-knows-no-schedule",
        "VERB-wake",
        "wake.lua",
        " and call('ZCARD', base .. 'schedule') == 0)",
        ")",
    ),
    _lua(
        "next-due-knows-no-leases",
        "VERB-next_due",
        "next_due.lua",
        "ipairs({ 'schedule', 'active' })",
        "ipairs({ 'schedule' })",
    ),
    _lua(
        "a-snapshot-without-paused-lanes",
        "VERB-snapshot",
        "snapshot.lua",
        "for _, group in ipairs(paused) do\n  see(group)\nend\n",
        "",
    ),
    _lua(
        "fsck-mends-no-ring",
        "VERB-fsck",
        "fsck_books.lua",
        "if ARGV[1] == '1' and #wrong > 0 then\n",
        "if false and #wrong > 0 then\n",
    ),
)

MUTANTS = (*_WIRE, *_ADMISSION, *_CLAIMS, *_SETTLING, *_SWEEPS, *_OPERATORS)
