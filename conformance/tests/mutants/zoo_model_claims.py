"""Mutants of the memory model: the rules that all verbs share, admission, claims."""

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

MUTANTS = (*_SHARED, *_ADMISSION, *_CLAIMS)
