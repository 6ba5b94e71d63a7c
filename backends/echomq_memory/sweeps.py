"""Sweeps: promote, reap, reap_group. The first entries by time, real ones before ghosts (GHOST-1)."""

from __future__ import annotations

from echomq_core import JobState, Swept, ops

from .state import QueueState, Row

__all__ = ["promote", "reap", "reap_group"]

LEASE_EXPIRED = "lease expired"


def promote(q: QueueState, op: ops.Promote, now_ms: int) -> Swept:
    due = q.schedule.take_until(now_ms, op.limit)
    real = _real(q, due, JobState.SCHEDULED)
    for row in real:
        q.enter_lane(row)
        q.settle(row.group)
    return Swept(returned=len(real), dead=0, dropped=len(due) - len(real))


def reap(q: QueueState, op: ops.Reap, now_ms: int) -> Swept:
    expired = q.active.take_until(now_ms, op.limit)
    real = _real(q, expired, JobState.ACTIVE)
    dead = sum(_reap_one(q, row, op.max_attempts) for row in real)
    dropped = len(expired) - len(real)
    if dropped:
        q.recount()
    return Swept(returned=len(real) - dead, dead=dead, dropped=dropped)


def reap_group(q: QueueState, op: ops.ReapGroup, now_ms: int) -> Swept:
    """Only this group's expired jobs, however many others come before; ghosts are left to `reap`."""
    expired = [job_id for deadline, job_id in q.active.entries() if deadline <= now_ms]
    mine = [row for row in _real(q, expired, JobState.ACTIVE) if row.group == op.group]
    mine = mine[: op.limit]
    dead = sum(_reap_one(q, row, op.max_attempts) for row in mine)
    return Swept(returned=len(mine) - dead, dead=dead, dropped=0)


def _real(q: QueueState, job_ids: list[str], state: JobState) -> list[Row]:
    rows = (q.real(job_id, state) for job_id in job_ids)
    return [row for row in rows if row is not None]


def _reap_one(q: QueueState, row: Row, max_attempts: int | None) -> bool:
    """An expired job back to its own lane, marked (TOKEN-2); or, its attempts used up, to `dead`."""
    q.leave_active(row)
    dies = max_attempts is not None and row.counted >= max_attempts
    if dies:
        q.enter_dead(row, LEASE_EXPIRED)
    else:
        row.lapsed = True
        q.enter_lane(row)
    q.settle(row.group)
    return dies
