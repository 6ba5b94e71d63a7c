"""The verbs, as functions of a queue, a checked operation, and the store's now.

Each runs inside one transaction, so each is one atomic step (VERB-atomic); `backend` begins it
and ends it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from echomq_core import (
    CompleteVerdict,
    Empty,
    EmptyReason,
    Enqueued,
    ExtendVerdict,
    Job,
    JobRecord,
    JobState,
    NewJob,
    ReleaseVerdict,
    RetryVerdict,
    Swept,
    mint_job_id,
    ops,
)
from echomq_core.checks import cut_error

from .reads import depth, job, snapshot
from .tables import Queue

__all__ = ["VERBS"]

MAX_GHOSTS = 1_000
LEASE_EXPIRED = "lease expired"


# --- admission (VERB-enqueue) -----------------------------------------------------------------


def enqueue(q: Queue, op: ops.Enqueue, now_ms: int) -> Enqueued:
    return _admit(q, op.as_item(), now_ms)


def enqueue_many(q: Queue, op: ops.EnqueueMany, now_ms: int) -> list[Enqueued]:
    """VERB-bulk: item by item, in input order."""
    return [_admit(q, item, now_ms) for item in op.items]


def _admit(q: Queue, item: NewJob, now_ms: int) -> Enqueued:
    job_id = item.job_id or mint_job_id()
    while q.row(job_id) is not None:
        if item.job_id is not None:
            return Enqueued(job_id, duplicate=True)
        job_id = mint_job_id()  # two processes may mint one id (KEYS-4)
    q.run(
        "INSERT INTO jobs (queue, id, grp, state, attempts, payload) VALUES (?, ?, ?, '', 0, ?)",
        job_id,
        item.group,
        item.payload,
    )
    row = JobRecord(job_id, item.group, "", 0, item.payload)
    due_ms = now_ms + item.delay_ms if item.run_at_ms is None else item.run_at_ms
    if due_ms > now_ms:
        q.enter_schedule(row, due_ms)
    else:
        q.enter_lane(row)
    return Enqueued(job_id, duplicate=False)


# --- claims (VERB-turn) -----------------------------------------------------------------------


def claim(q: Queue, op: ops.Claim, now_ms: int) -> Job | Empty:
    served = _Claim(q, now_ms + op.lease_ms).answer(1)
    return served[0] if isinstance(served, list) else served


def claim_many(q: Queue, op: ops.ClaimMany, now_ms: int) -> list[Job] | Empty:
    """VERB-claim_many: turns of one job each."""
    return _Claim(q, now_ms + op.lease_ms).answer(1, until_served=op.n)


def bclaim(q: Queue, op: ops.BClaim, now_ms: int) -> list[Job] | Empty:
    """VERB-bclaim: one turn for a batch."""
    return _Claim(q, now_ms + op.lease_ms).answer(op.n)


class _Claim:
    """One claiming call: one deadline for all, one allowance of ghosts, one recount at the end."""

    def __init__(self, q: Queue, deadline_ms: int) -> None:
        self._q = q
        self._deadline_ms = deadline_ms
        self._served: list[Job] = []
        self._ghosts = 0
        self._recount_due = False

    def answer(self, jobs: int, *, until_served: int | None = None) -> list[Job] | Empty:
        """One turn of up to `jobs` jobs; or turns, until so many are served."""
        group = self._q.head()
        if group is None:
            return Empty(EmptyReason.RING_EMPTY)
        while group is not None:
            self._turn(group, jobs)
            group = self._q.head()
            if until_served is None or len(self._served) >= until_served or self._ghosts_met():
                break
        if self._recount_due:
            self._q.recount()
        if group is not None:
            self._q.leave_token()  # the hand-on (WAKE-2)
        return self._served or Empty(EmptyReason.GHOST)

    def _ghosts_met(self) -> bool:
        return self._ghosts >= MAX_GHOSTS

    def _turn(self, group: str, jobs: int) -> None:
        """RING-2: to the tail, served, off if empty. Ghosts are consumed and count for nothing."""
        self._q.turn(group)
        wanted = len(self._served) + jobs
        while len(self._served) < wanted and not self._ghosts_met():
            job_id = self._q.first_in_lane(group)
            if job_id is None:
                break
            row = self._q.standing(job_id, JobState.PENDING)
            self._q.leave_lane(group, job_id)
            if row is None or row.group != group:
                self._ghosts += 1
            else:
                self._lease(row)
        self._q.settle(group)

    def _lease(self, row: JobRecord) -> None:
        """TOKEN-1. An entry that is in `active` already says that a book is off (BOOK-1)."""
        there = "SELECT 1 FROM places WHERE queue = ? AND state = ? AND id = ?"
        self._recount_due |= self._q.run(there, JobState.ACTIVE, row.id).fetchone() is not None
        token = row.attempts + 1
        self._q.enter(JobState.ACTIVE, row, self._deadline_ms, attempts=token, lapsed=0)
        self._q.raise_book(row.group)
        group, attempt = str(row.group), token - row.forgiven
        self._served.append(Job(row.id, group, row.payload, token, attempt, self._deadline_ms))


# --- settling (TOKEN-1, TOKEN-2) --------------------------------------------------------------


def complete(q: Queue, op: ops.Complete, _now_ms: int) -> CompleteVerdict:
    return _complete(q, op.job_id, op.token)


def complete_many(q: Queue, op: ops.CompleteMany, _now_ms: int) -> list[CompleteVerdict]:
    return [_complete(q, job_id, token) for job_id, token in op.pairs]


def _complete(q: Queue, job_id: str, token: int) -> CompleteVerdict:
    row = q.row(job_id)
    if row is None:
        return CompleteVerdict.GONE
    if _held(q, row, token):
        _free(q, row)
    elif row.attempts == token and row.lapsed and q.standing(job_id, JobState.PENDING):
        q.leave_lane(row.group, job_id)  # late, and no book is touched (TOKEN-2)
    else:
        return CompleteVerdict.STALE
    q.delete(job_id)
    q.count("completed")
    q.settle(row.group)
    return CompleteVerdict.COMPLETED


def retry(q: Queue, op: ops.Retry, now_ms: int) -> RetryVerdict:
    row = q.row(op.job_id)
    if row is None:
        return RetryVerdict.GONE
    if not _held(q, row, op.token):
        return RetryVerdict.STALE
    _free(q, row)
    if row.attempts - row.forgiven >= op.max_attempts:
        q.bury(row, cut_error(op.error))
        return RetryVerdict.DEAD
    q.enter_schedule(row, now_ms + op.delay_ms, last_error=cut_error(op.error))
    return RetryVerdict.SCHEDULED


def release(q: Queue, op: ops.Release, _now_ms: int) -> ReleaseVerdict:
    row = q.row(op.job_id)
    if row is None:
        return ReleaseVerdict.GONE
    if not _held(q, row, op.token):
        return ReleaseVerdict.STALE
    _free(q, row)
    q.enter_lane(row, forgiven=row.forgiven + 1)
    return ReleaseVerdict.RELEASED


def extend(q: Queue, op: ops.Extend, now_ms: int) -> ExtendVerdict:
    return _extend(q, op.job_id, op.token, now_ms + op.lease_ms)


def extend_many(q: Queue, op: ops.ExtendMany, now_ms: int) -> list[ExtendVerdict]:
    return [_extend(q, job_id, token, now_ms + op.lease_ms) for job_id, token in op.pairs]


def _extend(q: Queue, job_id: str, token: int, deadline_ms: int) -> ExtendVerdict:
    row = q.row(job_id)
    if row is None:
        return ExtendVerdict.GONE
    if not _held(q, row, token):
        return ExtendVerdict.STALE
    q.enter(JobState.ACTIVE, row, deadline_ms)
    return ExtendVerdict.EXTENDED


def _held(q: Queue, row: JobRecord, token: int) -> bool:
    """The token is the row's and the job is in `active`, expired or not (CLOCK-1)."""
    return row.attempts == token and q.standing(row.id, JobState.ACTIVE) is not None


def _free(q: Queue, row: JobRecord) -> None:
    """A standing job leaves `active`, and its group's book goes down (BOOK-1)."""
    q.leave(JobState.ACTIVE, row.id)
    q.lower_book(row.group)


# --- sweeps (VERB-promote, VERB-reap) ---------------------------------------------------------


def promote(q: Queue, op: ops.Promote, now_ms: int) -> Swept:
    real, ghosts = _due(q, JobState.SCHEDULED, now_ms, op.limit)
    for row in real:
        q.leave(JobState.SCHEDULED, row.id)
        q.enter_lane(row)
    for job_id in ghosts:
        q.leave(JobState.SCHEDULED, job_id)
    return Swept(returned=len(real), dead=0, dropped=len(ghosts))


def reap(q: Queue, op: ops.Reap, now_ms: int) -> Swept:
    real, ghosts = _due(q, JobState.ACTIVE, now_ms, op.limit)
    dead = 0
    for row in real:
        _free(q, row)
        if op.max_attempts is not None and row.attempts - row.forgiven >= op.max_attempts:
            q.bury(row, LEASE_EXPIRED)
            dead += 1
        else:
            q.enter_lane(row, lapsed=1)
    for job_id in ghosts:
        q.leave(JobState.ACTIVE, job_id)
    if ghosts:
        q.recount()
    return Swept(returned=len(real) - dead, dead=dead, dropped=len(ghosts))


def _due(q: Queue, state: JobState, now_ms: int, limit: int) -> tuple[list[JobRecord], list[str]]:
    """The first entries by time: the jobs that stand there, and the ghosts (GHOST-1)."""
    real, ghosts = [], []
    for job_id in q.until(state, now_ms, limit):
        row = q.standing(job_id, state)
        if row is None:
            ghosts.append(job_id)
        else:
            real.append(row)
    return real, ghosts


VERBS: dict[type[ops.QueueOp[Any]], Callable[[Queue, Any, int], Any]] = {
    ops.Enqueue: enqueue,
    ops.EnqueueMany: enqueue_many,
    ops.Claim: claim,
    ops.ClaimMany: claim_many,
    ops.BClaim: bclaim,
    ops.Complete: complete,
    ops.CompleteMany: complete_many,
    ops.Retry: retry,
    ops.Release: release,
    ops.Extend: extend,
    ops.ExtendMany: extend_many,
    ops.Promote: promote,
    ops.Reap: reap,
    ops.ReadJob: job,
    ops.Depth: depth,
    ops.Snapshot: snapshot,
}
"""All that this backend has: the profiles `core` and `bulk`."""
