"""What operators do to lanes, to the queue and to single jobs."""

from __future__ import annotations

from echomq_core import JobState, ReassignVerdict, RemoveVerdict, ReprocessVerdict, ops

from .state import QueueState

__all__ = [
    "drain",
    "limit",
    "pause",
    "pause_queue",
    "reassign",
    "remove",
    "reprocess",
    "resume",
    "resume_queue",
    "unlimit",
    "unweight",
    "weight",
]


def pause(q: QueueState, op: ops.Pause, _now_ms: int) -> bool:
    changed = op.group not in q.paused
    q.paused.add(op.group)
    q.settle(op.group)
    return changed


def resume(q: QueueState, op: ops.Resume, _now_ms: int) -> bool:
    changed = op.group in q.paused
    q.paused.discard(op.group)
    q.settle(op.group)
    return changed


def limit(q: QueueState, op: ops.Limit, _now_ms: int) -> bool:
    """Below what is in flight too: the lane is parked until the count falls (BOOK-2)."""
    changed = q.limits.get(op.group) != op.n
    q.limits[op.group] = op.n
    q.settle(op.group)
    return changed


def unlimit(q: QueueState, op: ops.Unlimit, _now_ms: int) -> bool:
    changed = q.limits.pop(op.group, None) is not None
    q.settle(op.group)
    return changed


def weight(q: QueueState, op: ops.Weight, _now_ms: int) -> bool:
    changed = q.weights.get(op.group) != op.n
    q.weights[op.group] = op.n
    return changed


def unweight(q: QueueState, op: ops.Unweight, _now_ms: int) -> bool:
    return q.weights.pop(op.group, None) is not None


def pause_queue(q: QueueState, _op: ops.PauseQueue, _now_ms: int) -> bool:
    changed = not q.queue_paused
    q.queue_paused = True
    return changed


def resume_queue(q: QueueState, _op: ops.ResumeQueue, _now_ms: int) -> bool:
    """A change leaves a token: consumers parked on the pause (WAKE-1)."""
    changed = q.queue_paused
    q.queue_paused = False
    if changed:
        q.leave_token()
    return changed


def reassign(q: QueueState, op: ops.Reassign, _now_ms: int) -> ReassignVerdict:
    """The row's own group is the source; it settles before the target (RING-3)."""
    row = q.rows.get(op.job_id)
    if row is None:
        return ReassignVerdict.NOT_FOUND
    if q.standing(row) is not JobState.PENDING:
        return ReassignVerdict.NOT_PENDING
    source = row.group
    if source == op.group:
        return ReassignVerdict.NOOP
    q.leave_lane(row)
    row.group = op.group
    q.enter_lane(row)
    q.settle(source)
    q.settle(op.group)
    return ReassignVerdict.REASSIGNED


def drain(q: QueueState, op: ops.Drain, _now_ms: int) -> int:
    """The lane's entries and the rows that stand there; ghosts go uncounted."""
    lane = q.lanes.pop(op.group, None)
    jobs = 0
    for job_id in lane.ids() if lane is not None else ():
        if q.real(job_id, JobState.PENDING, op.group) is not None:
            del q.rows[job_id]
            jobs += 1
    q.settle(op.group)
    return jobs


def remove(q: QueueState, op: ops.Remove, _now_ms: int) -> RemoveVerdict:
    """From wherever it stands; also a row that stands nowhere."""
    row = q.rows.get(op.job_id)
    if row is None:
        return RemoveVerdict.GONE
    match q.standing(row):
        case JobState.ACTIVE:
            if not op.force:
                return RemoveVerdict.ACTIVE
            q.leave_active(row)
        case JobState.PENDING:
            q.leave_lane(row)
        case JobState.SCHEDULED:
            q.schedule.discard(row.id)
        case JobState.DEAD:
            q.dead.discard(row.id)
        case None:
            pass
    del q.rows[op.job_id]
    q.settle(row.group)
    return RemoveVerdict.REMOVED


def reprocess(q: QueueState, op: ops.Reprocess, _now_ms: int) -> ReprocessVerdict:
    """Dead to its own lane with all its attempts again; the token goes on (FIELD-1)."""
    row = q.rows.get(op.job_id)
    if row is None:
        return ReprocessVerdict.GONE
    if q.standing(row) is not JobState.DEAD:
        return ReprocessVerdict.NOT_DEAD
    q.dead.discard(row.id)
    row.last_error = None
    row.forgiven = row.attempts
    q.enter_lane(row)
    q.settle(row.group)
    return ReprocessVerdict.REPROCESSED
