"""The four claims: turns of the ring (RING-2, RING-4, BOOK-2, GHOST-1, WAKE-2)."""

from __future__ import annotations

from echomq_core import Empty, EmptyReason, Job, JobState, ops

from .state import QueueState, Row

__all__ = ["bclaim", "claim", "claim_many", "wclaim"]

MAX_GHOSTS = 1_000
"""A call ends with so many ghosts consumed."""


def claim(q: QueueState, op: ops.Claim, now_ms: int) -> Job | Empty:
    answer = _Claim(q, now_ms + op.lease_ms).answer(1)
    return answer[0] if isinstance(answer, list) else answer


def claim_many(q: QueueState, op: ops.ClaimMany, now_ms: int) -> list[Job] | Empty:
    return _Claim(q, now_ms + op.lease_ms).answer(1, until_served=op.n)


def wclaim(q: QueueState, op: ops.WClaim, now_ms: int) -> list[Job] | Empty:
    return _Claim(q, now_ms + op.lease_ms).answer(None)


def bclaim(q: QueueState, op: ops.BClaim, now_ms: int) -> list[Job] | Empty:
    return _Claim(q, now_ms + op.lease_ms).answer(op.n)


class _Claim:
    """One claiming call: one lease deadline, one allowance of ghosts, one recount at the end."""

    def __init__(self, q: QueueState, deadline_ms: int) -> None:
        self._q = q
        self._deadline_ms = deadline_ms
        self._ghosts = 0
        self._recount_due = False
        self._served: list[Job] = []

    def answer(self, jobs: int | None, *, until_served: int | None = None) -> list[Job] | Empty:
        """One turn of up to `jobs` jobs (`None`: the lane's weight), or turns until so many are served."""
        q = self._q
        if q.queue_paused:
            return Empty(EmptyReason.QUEUE_PAUSED)
        if not q.ring:
            return Empty(EmptyReason.RING_EMPTY)
        self._turn(jobs)
        if until_served is not None:
            while len(self._served) < until_served and q.ring and self._ghosts < MAX_GHOSTS:
                self._turn(jobs)
        if self._recount_due:
            q.recount()
        if q.ring:
            q.leave_token()  # the hand-on: decided once, last (WAKE-2)
        return self._served or Empty(EmptyReason.GHOST)

    def _turn(self, jobs: int | None) -> None:
        """The head group moves to the tail, is served, and leaves if no longer serviceable."""
        q = self._q
        group, _ = q.ring.popitem(last=False)
        q.ring[group] = None
        self._serve(group, q.share(group) if jobs is None else jobs)
        q.settle(group)

    def _serve(self, group: str, jobs: int) -> None:
        """Up to `jobs` real jobs of a lane, oldest first, never above its headroom (BOOK-2)."""
        q = self._q
        lane = q.lanes.get(group)
        if lane is None:
            return
        limit = q.ceiling(group)
        if limit is not None:
            jobs = min(jobs, limit - q.in_flight.get(group, 0))
        end = len(self._served) + jobs
        while lane and len(self._served) < end and self._ghosts < MAX_GHOSTS:
            job_id = lane.take_first()
            row = q.real(job_id, JobState.PENDING, group) if job_id is not None else None
            if row is None:
                self._ghosts += 1
            else:
                self._lease(row)
        q.drop_empty_lane(group)

    def _lease(self, row: Row) -> None:
        """TOKEN-1; an entry of the id that was in `active` already says that a book is off (BOOK-1)."""
        q = self._q
        self._recount_due |= row.id in q.active
        row.attempts += 1
        row.lapsed = False
        q.enter_active(row, self._deadline_ms)
        self._served.append(
            Job(row.id, row.group, row.payload, row.attempts, row.counted, self._deadline_ms)
        )
