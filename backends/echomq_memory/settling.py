"""Settling a claim by its token: complete, retry, release, extend (TOKEN-1, TOKEN-2)."""

from __future__ import annotations

from echomq_core import (
    CompleteVerdict,
    ExtendVerdict,
    JobState,
    ReleaseVerdict,
    RetryVerdict,
    ops,
)
from echomq_core.checks import cut_error

from .state import QueueState, Row

__all__ = ["complete", "complete_many", "extend", "extend_many", "release", "retry"]


def complete(q: QueueState, op: ops.Complete, _now_ms: int) -> CompleteVerdict:
    return _complete(q, op.job_id, op.token)


def complete_many(q: QueueState, op: ops.CompleteMany, _now_ms: int) -> list[CompleteVerdict]:
    return [_complete(q, job_id, token) for job_id, token in op.pairs]


def _complete(q: QueueState, job_id: str, token: int) -> CompleteVerdict:
    """Out of `active`; or late, out of the lane that a reap put it back into (TOKEN-2)."""
    row = q.rows.get(job_id)
    if row is None:
        return CompleteVerdict.GONE
    if _holds(q, row, token):
        q.leave_active(row)
    elif token == row.attempts and row.lapsed and q.standing(row) is JobState.PENDING:
        q.leave_lane(row)
    else:
        return CompleteVerdict.STALE
    del q.rows[job_id]
    q.completed += 1
    q.settle(row.group)
    return CompleteVerdict.COMPLETED


def retry(q: QueueState, op: ops.Retry, now_ms: int) -> RetryVerdict:
    row = q.rows.get(op.job_id)
    if row is None:
        return RetryVerdict.GONE
    if not _holds(q, row, op.token):
        return RetryVerdict.STALE
    q.leave_active(row)
    error = cut_error(op.error)
    if row.counted >= op.max_attempts:
        q.enter_dead(row, error)
        verdict = RetryVerdict.DEAD
    else:
        row.last_error = error
        q.enter_schedule(row, now_ms + op.delay_ms)
        verdict = RetryVerdict.SCHEDULED
    q.settle(row.group)
    return verdict


def release(q: QueueState, op: ops.Release, _now_ms: int) -> ReleaseVerdict:
    """Back to its lane; the token stays spent, the attempt does not count."""
    row = q.rows.get(op.job_id)
    if row is None:
        return ReleaseVerdict.GONE
    if not _holds(q, row, op.token):
        return ReleaseVerdict.STALE
    q.leave_active(row)
    row.forgiven += 1
    q.enter_lane(row)
    q.settle(row.group)
    return ReleaseVerdict.RELEASED


def extend(q: QueueState, op: ops.Extend, now_ms: int) -> ExtendVerdict:
    return _extend(q, op.job_id, op.token, now_ms + op.lease_ms)


def extend_many(q: QueueState, op: ops.ExtendMany, now_ms: int) -> list[ExtendVerdict]:
    return [_extend(q, job_id, token, now_ms + op.lease_ms) for job_id, token in op.pairs]


def _extend(q: QueueState, job_id: str, token: int, deadline_ms: int) -> ExtendVerdict:
    row = q.rows.get(job_id)
    if row is None:
        return ExtendVerdict.GONE
    if not _holds(q, row, token):
        return ExtendVerdict.STALE
    q.active.add(job_id, deadline_ms)
    return ExtendVerdict.EXTENDED


def _holds(q: QueueState, row: Row, token: int) -> bool:
    """Whether the token is the row's and the job is in `active`, expired or not (CLOCK-1)."""
    return token == row.attempts and q.standing(row) is JobState.ACTIVE
