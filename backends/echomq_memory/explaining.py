"""`explain`: why a job or a lane is not being served; the first reason that holds."""

from __future__ import annotations

from echomq_core import Explanation, ExplanationReason, JobState, ops

from .state import QueueState, Row

__all__ = ["explain"]

MAX_HOLDERS = 10


def explain(q: QueueState, op: ops.Explain, now_ms: int) -> Explanation:
    if op.group is not None:
        return _lane(q, op.group)
    job_id = op.job_id or ""
    row = q.rows.get(job_id)
    if row is None:
        text = f"Job {job_id} has no row: it was never admitted, is done, or was removed."
        return Explanation(job_id, ExplanationReason.GONE, {}, text)
    match q.standing(row):
        case JobState.PENDING:
            return _blocked(q, row.group, job_id)
        case JobState.ACTIVE:
            return _active(q, row)
        case JobState.SCHEDULED:
            return _scheduled(q, row, now_ms)
        case JobState.DEAD:
            return _dead(row)
        case None:
            text = f"Job {job_id} says {row.state} but stands nowhere: fsck with repair mends it."
            return Explanation(job_id, ExplanationReason.MISPLACED, {}, text)


def _dead(row: Row) -> Explanation:
    text = f"Job {row.id} is dead after {row.attempts} attempts, last error {row.last_error!r}."
    return Explanation(row.id, ExplanationReason.DEAD, {"last_error": row.last_error}, text)


def _scheduled(q: QueueState, row: Row, now_ms: int) -> Explanation:
    due_ms = q.schedule.score(row.id) or 0
    due_in_ms = max(0, due_ms - now_ms)
    text = (
        f"Job {row.id} is scheduled and due in {due_in_ms} ms; promote moves it to its lane then."
    )
    details = {"due_ms": due_ms, "due_in_ms": due_in_ms}
    return Explanation(row.id, ExplanationReason.SCHEDULED, details, text)


def _active(q: QueueState, row: Row) -> Explanation:
    deadline_ms = q.active.score(row.id) or 0
    text = f"Job {row.id} is claimed, attempt {row.counted}, under a lease until {deadline_ms}."
    details = {"deadline_ms": deadline_ms, "attempt": row.counted}
    return Explanation(row.id, ExplanationReason.ACTIVE, details, text)


def _lane(q: QueueState, group: str) -> Explanation:
    if group in q.lanes:
        return _blocked(q, group, None)
    text = f"The lane of {group!r} holds no pending job."
    return Explanation(group, ExplanationReason.LANE_EMPTY, {"group": group}, text)


def _blocked(q: QueueState, group: str, job_id: str | None) -> Explanation:
    """A nonempty lane, or a job pending in it."""
    subject = group if job_id is None else job_id
    what = f"The lane of {group!r}" if job_id is None else f"Job {job_id} in the lane of {group!r}"
    details: dict[str, object] = {"group": group}
    if q.queue_paused:
        text = f"{what} waits because the whole queue is paused: resume_queue lets it go on."
        return Explanation(subject, ExplanationReason.QUEUE_PAUSED, details, text)
    if group in q.paused:
        text = f"{what} waits because the lane is paused: resume lets it go on."
        return Explanation(subject, ExplanationReason.LANE_PAUSED, details, text)
    if q.is_full(group):
        count, limit = q.in_flight[group], q.limits[group]
        details |= {"in_flight": count, "limit": limit, "holders": _holders(q, group)}
        text = f"{what} waits because the lane is full: {count} in flight, the limit is {limit}."
        return Explanation(subject, ExplanationReason.LANE_FULL, details, text)
    turns = list(q.ring).index(group) if group in q.ring else None
    details["ring_position"] = turns
    text = f"{what} waits for its turn: {turns} other lanes come first on the ring."
    if turns is None:
        text = f"{what} is off the ring though it should be on it: fsck with repair mends it."
    if job_id is not None:
        details["lane_position"] = q.lanes[group].ids().index(job_id)
    return Explanation(subject, ExplanationReason.WAITING, details, text)


def _holders(q: QueueState, group: str) -> tuple[str, ...]:
    """The jobs in flight of a group, first deadline first."""
    ids = q.active.ids()
    holders = [i for i in ids if (row := q.real(i, JobState.ACTIVE)) and row.group == group]
    return tuple(holders[:MAX_HOLDERS])
