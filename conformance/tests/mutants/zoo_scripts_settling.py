"""Mutants of the Lua scripts, settling, sweeps, operators: the loader assembles the changed texts."""

from __future__ import annotations

from .mutant import Edit, Mutant

__all__ = ["MUTANTS"]


def _lua(name: str, clause: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"lua-{name}", clause, "scripts", (Edit(file, old, new),))


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

MUTANTS = (*_SETTLING, *_SWEEPS, *_OPERATORS)
