"""Admission: `enqueue` and its bulk form."""

from __future__ import annotations

from echomq_core import Enqueued, JobState, NewJob, ops

from .state import QueueState, Row

__all__ = ["enqueue", "enqueue_many"]


def enqueue(q: QueueState, op: ops.Enqueue, now_ms: int) -> Enqueued:
    return _admit(q, op.as_item(), now_ms)


def enqueue_many(q: QueueState, op: ops.EnqueueMany, now_ms: int) -> list[Enqueued]:
    return [_admit(q, item, now_ms) for item in op.items]


def _admit(q: QueueState, item: NewJob, now_ms: int) -> Enqueued:
    """A new row to its lane, or to the schedule when its due time is in the future."""
    if item.job_id is None:
        raise ValueError("the model mints no ids: name one")
    if item.job_id in q.rows:
        return Enqueued(item.job_id, duplicate=True)
    row = q.rows[item.job_id] = Row(item.job_id, item.group, item.payload, JobState.PENDING)
    due_ms = now_ms + item.delay_ms if item.run_at_ms is None else item.run_at_ms
    if due_ms > now_ms:
        q.enter_schedule(row, due_ms)
    else:
        q.enter_lane(row)
        q.settle(row.group)
    return Enqueued(item.job_id, duplicate=False)
