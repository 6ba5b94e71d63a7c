"""Mutants of the memory model: settling and sweeps."""

from __future__ import annotations

from .mutant import Edit, Mutant

__all__ = ["MUTANTS"]


def _model(name: str, clause: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"model-{name}", clause, "model", (Edit(file, old, new),))


_SETTLING = (
    _model(
        "an-old-token-will-do",
        "TOKEN-1",
        "settling.py",
        "    return token == row.attempts and",
        "    return token <= row.attempts and",
    ),
    _model(
        "a-token-of-the-future-will-do",
        "TOKEN-1",
        "settling.py",
        "    return token == row.attempts and",
        "    return token >= row.attempts and",
    ),
    _model(
        "late-complete-without-the-mark",
        "TOKEN-2",
        "settling.py",
        "token == row.attempts and row.lapsed and",
        "token == row.attempts and",
    ),
    _model(
        "late-complete-frees-a-slot",
        "BOOK-1",
        "settling.py",
        "        q.leave_lane(row)\n",
        "        q.leave_lane(row)\n        q.lower_book(row.group)\n",
    ),
    _model(
        "no-late-complete",
        "TOKEN-2",
        "settling.py",
        "    elif token == row.attempts and row.lapsed and",
        "    elif False and row.lapsed and",
    ),
    _model(
        "extend-revives-a-reaped-job",
        "VERB-extend",
        "settling.py",
        "    if not _holds(q, row, token):\n        return ExtendVerdict.STALE",
        "    if token != row.attempts:\n        return ExtendVerdict.STALE",
    ),
    _model(
        "extend-never-shortens",
        "VERB-extend",
        "settling.py",
        "    q.active.add(job_id, deadline_ms)",
        "    q.active.add(job_id, max(deadline_ms, q.active.score(job_id) or 0))",
    ),
    _model(
        "an-expired-lease-cannot-be-extended",
        "CLOCK-1",
        "settling.py",
        "    return _extend(q, op.job_id, op.token, now_ms + op.lease_ms)",
        "    if (q.active.score(op.job_id) or now_ms + 1) <= now_ms:\n"
        "        return ExtendVerdict.STALE\n"
        "    return _extend(q, op.job_id, op.token, now_ms + op.lease_ms)",
    ),
    _model("completed-is-not-counted", "STATE-2", "settling.py", "    q.completed += 1\n", ""),
    _model(
        "complete-does-not-settle-the-lane",
        "RING-1",
        "settling.py",
        "    q.completed += 1\n    q.settle(row.group)\n",
        "    q.completed += 1\n",
    ),
    _model(
        "complete-keeps-the-row",
        "VERB-complete",
        "settling.py",
        "    del q.rows[job_id]\n",
        "    q.enter_dead(row, '')\n    q.failed -= 1\n",
    ),
    _model(
        "gone-is-stale",
        "VERB-complete",
        "settling.py",
        "        return CompleteVerdict.GONE",
        "        return CompleteVerdict.STALE",
    ),
    _model(
        "bulk-completes-backwards",
        "VERB-bulk",
        "settling.py",
        "    return [_complete(q, job_id, token) for job_id, token in op.pairs]",
        "    return [_complete(q, job_id, token) for job_id, token in reversed(op.pairs)][::-1]",
    ),
    _model(
        "bulk-extends-all-or-none",
        "VERB-bulk",
        "settling.py",
        "    return [_extend(q, job_id, token, now_ms + op.lease_ms) for job_id, token in op.pairs]",
        "    answers = [_extend(q, i, token, now_ms + op.lease_ms) for i, token in op.pairs]\n"
        "    return answers if len(set(answers)) < 2 else [ExtendVerdict.STALE] * len(answers)",
    ),
    _model(
        "retry-keeps-the-slot",
        "BOOK-1",
        "settling.py",
        "    q.leave_active(row)\n    error = cut_error",
        "    q.active.discard(row.id)\n    error = cut_error",
    ),
    _model(
        "retry-leaves-its-lease",
        "STATE-1",
        "settling.py",
        "    q.leave_active(row)\n    error = cut_error",
        "    q.lower_book(row.group)\n    error = cut_error",
    ),
    _model(
        "one-attempt-too-many",
        "VERB-retry",
        "settling.py",
        "    if row.counted >= op.max_attempts:",
        "    if row.counted > op.max_attempts:",
    ),
    _model(
        "retry-counts-the-forgiven",
        "FIELD-1",
        "settling.py",
        "    if row.counted >= op.max_attempts:",
        "    if row.attempts >= op.max_attempts:",
    ),
    _model(
        "an-error-is-not-cut",
        "VERB-retry",
        "settling.py",
        "    error = cut_error(op.error)",
        "    error = op.error",
    ),
    _model(
        "retry-drops-its-error",
        "FIELD-1",
        "settling.py",
        "        row.last_error = error\n",
        "",
    ),
    _model(
        "retry-ignores-its-delay",
        "VERB-retry",
        "settling.py",
        "        q.enter_schedule(row, now_ms + op.delay_ms)",
        "        q.enter_schedule(row, now_ms)",
    ),
    _model("release-forgives-nothing", "FIELD-1", "settling.py", "    row.forgiven += 1\n", ""),
    _model(
        "release-gives-the-token-back",
        "TOKEN-1",
        "settling.py",
        "    row.forgiven += 1\n",
        "    row.attempts -= 1\n",
    ),
    _model(
        "release-is-a-retry",
        "VERB-release",
        "settling.py",
        "    row.forgiven += 1\n    q.enter_lane(row)\n",
        "    row.forgiven += 1\n    q.enter_schedule(row, _now_ms)\n",
    ),
    _model(
        "a-verdict-is-plain-text",
        "ANSWER-values",
        "settling.py",
        "    return ReleaseVerdict.RELEASED",
        '    return "released"',
    ),
)

_SWEEPS = (
    _model(
        "reap-to-another-lane",
        "VERB-reap",
        "sweeps.py",
        "        row.lapsed = True\n",
        "        row.lapsed = True\n        row.group = min(q.lanes, default=row.group)\n",
    ),
    _model(
        "reap-keeps-the-slot",
        "BOOK-1",
        "sweeps.py",
        "    q.leave_active(row)\n",
        "    q.active.discard(row.id)\n",
    ),
    _model("reap-sets-no-mark", "TOKEN-2", "sweeps.py", "        row.lapsed = True\n", ""),
    _model(
        "reap-counts-the-forgiven",
        "VERB-reap",
        "sweeps.py",
        "row.counted >= max_attempts",
        "row.attempts >= max_attempts",
    ),
    _model(
        "reap-does-not-recount",
        "BOOK-1",
        "sweeps.py",
        "    if dropped:\n        q.recount()\n",
        "",
    ),
    _model(
        "reap-returns-ghosts",
        "GHOST-1",
        "sweeps.py",
        "    return Swept(returned=len(real) - dead, dead=dead, dropped=dropped)",
        "    return Swept(returned=len(expired) - dead, dead=dead, dropped=0)",
    ),
    _model(
        "reap-goes-by-id",
        "RING-3",
        "sweeps.py",
        "    expired = q.active.take_until(now_ms, op.limit)",
        "    expired = sorted(q.active.take_until(now_ms, op.limit))",
    ),
    _model(
        "expired-means-before-now",
        "CLOCK-1",
        "sweeps.py",
        "q.active.take_until(now_ms, op.limit)",
        "q.active.take_until(now_ms - 1, op.limit)",
    ),
    _model(
        "due-means-before-now",
        "CLOCK-1",
        "sweeps.py",
        "q.schedule.take_until(now_ms, op.limit)",
        "q.schedule.take_until(now_ms - 1, op.limit)",
    ),
    _model(
        "reap-takes-running-leases",
        "CLOCK-1",
        "sweeps.py",
        "q.active.take_until(now_ms, op.limit)",
        "q.active.take_until(now_ms + 7_000, op.limit)",
    ),
    _model(
        "promote-knows-no-pause",
        "RING-1",
        "sweeps.py",
        "    for row in real:\n        q.enter_lane(row)\n        q.settle(row.group)\n",
        "    for row in real:\n        q.enter_lane(row)\n        q.ring.setdefault(row.group)\n"
        "        q.leave_token()\n",
    ),
    _model(
        "promote-knows-no-limit",
        "VERB-promote",
        "sweeps.py",
        "q.schedule.take_until(now_ms, op.limit)",
        "q.schedule.take_until(now_ms, 1_000)",
    ),
    _model(
        "a-sweep-settles-by-name",
        "RING-3",
        "sweeps.py",
        "    dead = sum(_reap_one(q, row, op.max_attempts) for row in real)\n    dropped",
        "    real.sort(key=lambda row: row.group)\n"
        "    dead = sum(_reap_one(q, row, op.max_attempts) for row in real)\n    dropped",
    ),
    _model(
        "one-group-only-on-the-first-page",
        "VERB-reap_group",
        "sweeps.py",
        "    mine = [row for row in _real(q, expired, JobState.ACTIVE)",
        "    mine = [row for row in _real(q, expired[: op.limit], JobState.ACTIVE)",
    ),
    _model(
        "reap-group-takes-everybody",
        "VERB-reap_group",
        "sweeps.py",
        "JobState.ACTIVE) if row.group == op.group]",
        "JobState.ACTIVE)]",
    ),
    _model(
        "dead-says-something-else",
        "FIELD-1",
        "sweeps.py",
        'LEASE_EXPIRED = "lease expired"',
        'LEASE_EXPIRED = "timed out"',
    ),
)

MUTANTS = (*_SETTLING, *_SWEEPS)
