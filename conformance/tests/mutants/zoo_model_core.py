"""Mutants of the memory model: admission, claims, settling, sweeps, and the rules they share."""

from __future__ import annotations

from .mutant import Edit, Mutant

__all__ = ["MUTANTS"]


def _model(name: str, clause: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"model-{name}", clause, "model", (Edit(file, old, new),))


_SHARED = (
    _model(
        "second-token",
        "WAKE-1",
        "state.py",
        "        if not self.wakes:\n            self.wakes = 1",
        "        self.wakes += 1",
    ),
    _model(
        "join-without-wake",
        "WAKE-1",
        "state.py",
        "            self.ring[group] = None\n            self.leave_token()",
        "            self.ring[group] = None",
    ),
    _model(
        "join-at-the-head",
        "RING-3",
        "state.py",
        "            self.ring[group] = None\n            self.leave_token()",
        "            self.ring[group] = None\n            self.ring.move_to_end(group, last=False)\n"
        "            self.leave_token()",
    ),
    _model(
        "limit-off-by-one",
        "BOOK-2",
        "state.py",
        "        return limit if limit is not None and limit >= 1 else None",
        "        return limit + 1 if limit is not None and limit >= 1 else None",
    ),
    _model(
        "a-full-lane-stays",
        "RING-1",
        "state.py",
        "        if not self.is_serviceable(group):\n            self.ring.pop(group, None)",
        "        if group not in self.lanes or group in self.paused:\n"
        "            self.ring.pop(group, None)\n        elif self.is_full(group):\n            pass",
    ),
    _model(
        "pause-is-no-bar",
        "RING-1",
        "state.py",
        "group in self.lanes and group not in self.paused and not",
        "group in self.lanes and not",
    ),
    _model(
        "an-empty-lane-is-kept",
        "KEYS-6",
        "state.py",
        "        lane.discard(row.id)\n        self.drop_empty_lane(row.group)",
        "        lane.discard(row.id)",
    ),
    _model(
        "a-zero-counter-is-kept",
        "KEYS-6",
        "state.py",
        "        if count > 1:",
        "        if count > 0:",
    ),
    _model(
        "scheduled-without-saying-so",
        "STATE-1",
        "state.py",
        "        row.state = JobState.SCHEDULED\n",
        "",
    ),
    _model(
        "first-scheduled-without-wake",
        "WAKE-4",
        "state.py",
        "        if self.schedule.first() == (due_ms, row.id):\n            self.leave_token()\n",
        "",
    ),
    _model(
        "every-scheduled-wakes",
        "WAKE-4",
        "state.py",
        "        if self.schedule.first() == (due_ms, row.id):\n            self.leave_token()\n",
        "        self.leave_token()\n",
    ),
    _model("failed-is-not-counted", "FIELD-1", "state.py", "        self.failed += 1\n", ""),
    _model(
        "dead-without-its-error",
        "FIELD-1",
        "state.py",
        "        row.last_error = error\n        self.dead.add(row.id)",
        "        self.dead.add(row.id)",
    ),
    _model(
        "recount-in-reverse",
        "BOOK-1",
        "state.py",
        "sorted(before.keys() | self.in_flight.keys()):",
        "sorted(before.keys() | self.in_flight.keys(), reverse=True):",
    ),
    _model(
        "recount-without-settling",
        "RING-1",
        "state.py",
        "            if before.get(group) != self.in_flight.get(group):\n                self.settle(group)",
        "            pass",
    ),
    _model(
        "recount-counts-what-is-elsewhere",
        "BOOK-1",
        "state.py",
        "            row = self.real(job_id, JobState.ACTIVE)\n            if row is not None:",
        "            row = self.rows.get(job_id)\n            if row is not None:",
    ),
    _model(
        "a-lane-goes-by-arrival",
        "KEYS-4",
        "state.py",
        "        lane.add(row.id)",
        "        lane.add(row.id, len(lane))",
    ),
)

_ADMISSION = (
    _model(
        "duplicate-overwrites",
        "VERB-enqueue",
        "admission.py",
        "        return Enqueued(item.job_id, duplicate=True)",
        "        q.rows[item.job_id].payload = item.payload\n"
        "        return Enqueued(item.job_id, duplicate=True)",
    ),
    _model(
        "due-now-is-scheduled",
        "VERB-enqueue",
        "admission.py",
        "    if due_ms > now_ms:",
        "    if due_ms > now_ms or item.run_at_ms is not None:",
    ),
    _model(
        "payload-is-decoded",
        "KEYS-5",
        "admission.py",
        "Row(item.job_id, item.group, item.payload, JobState",
        'Row(item.job_id, item.group, item.payload.decode(errors="replace").encode(), JobState',
    ),
    _model(
        "group-is-trimmed",
        "KEYS-3",
        "admission.py",
        "Row(item.job_id, item.group, item.payload, JobState",
        "Row(item.job_id, item.group.strip(), item.payload, JobState",
    ),
    _model(
        "bulk-goes-by-group",
        "VERB-bulk",
        "admission.py",
        "    return [_admit(q, item, now_ms) for item in op.items]",
        "    done = {id(i): _admit(q, i, now_ms) for i in sorted(op.items, key=lambda i: i.group)}\n"
        "    return [done[id(item)] for item in op.items]",
    ),
    _model(
        "ids-are-minted-backwards",
        "KEYS-4",
        "store.py",
        "        job_id = self._mint()\n        while",
        "        job_id = self._mint()\n        job_id = job_id[:3] + job_id[:2:-1]\n        while",
    ),
)

_CLAIMS = (
    _model(
        "youngest-first-above-ten",
        "KEYS-4",
        "turns.py",
        "            job_id = lane.take_first()\n",
        "            job_id = lane.take_first()\n"
        "            if len(lane) >= 10 and job_id is not None:\n"
        "                youngest = lane.ids()[-1]\n"
        "                lane.discard(youngest)\n"
        "                lane.add(job_id)\n"
        "                job_id = youngest\n",
    ),
    _model(
        "no-hand-on",
        "WAKE-2",
        "turns.py",
        "        if q.ring:\n            q.leave_token()  # the hand-on: decided once, last (WAKE-2)\n",
        "",
    ),
    _model(
        "paused-claim-leaves-a-token",
        "WAKE-2",
        "turns.py",
        "        if q.queue_paused:\n",
        "        if q.queue_paused:\n            q.leave_token()\n",
    ),
    _model(
        "weighted-claim-knows-no-pause",
        "VERB-queue-pause",
        "turns.py",
        "        if q.queue_paused:\n",
        "        if q.queue_paused and jobs is not None:\n",
    ),
    _model(
        "no-headroom-for-several",
        "BOOK-2",
        "turns.py",
        "        if limit is not None:\n            jobs = min(",
        "        if limit is not None and jobs == 1:\n            jobs = min(",
    ),
    _model(
        "a-ghost-takes-a-place",
        "GHOST-1",
        "turns.py",
        "                self._ghosts += 1\n",
        "                self._ghosts += 1\n                end -= 1\n",
    ),
    _model(
        "a-ghost-is-in-flight",
        "GHOST-1",
        "turns.py",
        "                self._ghosts += 1\n",
        "                self._ghosts += 1\n"
        "                q.in_flight[group] = q.in_flight.get(group, 0) + 1\n",
    ),
    _model(
        "ghosts-without-end",
        "VERB-turn",
        "turns.py",
        "MAX_GHOSTS = 1_000",
        "MAX_GHOSTS = 1_000_000",
    ),
    _model(
        "a-ghost-is-an-empty-ring",
        "GHOST-1",
        "turns.py",
        "Empty(EmptyReason.GHOST)",
        "Empty(EmptyReason.RING_EMPTY)",
    ),
    _model(
        "an-empty-ring-is-a-ghost",
        "ANSWER-empty",
        "turns.py",
        "            return Empty(EmptyReason.RING_EMPTY)",
        "            return Empty(EmptyReason.GHOST)",
    ),
    _model(
        "same-token-after-a-reap",
        "TOKEN-1",
        "turns.py",
        "        row.attempts += 1\n",
        "        row.attempts += not row.lapsed\n",
    ),
    _model("mark-is-never-cleared", "TOKEN-2", "turns.py", "        row.lapsed = False\n", ""),
    _model(
        "claim-does-not-recount",
        "BOOK-1",
        "turns.py",
        "        if self._recount_due:\n            q.recount()\n",
        "",
    ),
    _model(
        "lease-in-seconds",
        "CLOCK-1",
        "turns.py",
        "    answer = _Claim(q, now_ms + op.lease_ms).answer(1)\n",
        "    answer = _Claim(q, now_ms + op.lease_ms // 1000).answer(1)\n",
    ),
    _model(
        "the-head-stays",
        "RING-2",
        "turns.py",
        "        q.ring[group] = None\n",
        "        q.ring[group] = None\n        q.ring.move_to_end(group, last=False)\n",
    ),
    _model(
        "a-long-lane-has-two-turns",
        "RING-4",
        "turns.py",
        "        q.ring[group] = None\n",
        "        q.ring[group] = None\n"
        "        lane = q.lanes.get(group)\n"
        "        if lane is not None and len(lane) > 2 and len(lane) % 2:\n"
        "            q.ring.move_to_end(group, last=False)\n",
    ),
    _model(
        "claim-many-empties-a-lane",
        "VERB-claim_many",
        "turns.py",
        ".answer(1, until_served=op.n)",
        ".answer(op.n, until_served=op.n)",
    ),
    _model(
        "claim-many-serves-one-more",
        "VERB-claim_many",
        "turns.py",
        "            while len(self._served) < until_served and",
        "            while len(self._served) <= until_served and",
    ),
    _model(
        "a-batch-of-several-lanes",
        "VERB-bclaim",
        "turns.py",
        ".answer(op.n)",
        ".answer(op.n, until_served=op.n)",
    ),
    _model("weight-is-ignored", "VERB-weights", "turns.py", ".answer(None)", ".answer(1)"),
    _model(
        "attempt-counts-the-forgiven",
        "FIELD-1",
        "turns.py",
        "row.attempts, row.counted, self",
        "row.attempts, row.attempts, self",
    ),
    _model(
        "a-claim-hides-the-payload",
        "VERB-claim",
        "turns.py",
        "            Job(row.id, row.group, row.payload,",
        '            Job(row.id, row.group, row.payload if row.attempts == 1 else b"",',
    ),
)

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

MUTANTS = (*_SHARED, *_ADMISSION, *_CLAIMS, *_SETTLING, *_SWEEPS)
