"""From facts to an `Explanation`: the reasons in their order and the sentence for a person.

Pure, and here once, so that every backend explains in the same words (VERB-explain).
"""

from __future__ import annotations

from dataclasses import dataclass

from .values import Explanation, ExplanationReason, JobRecord, JobState

__all__ = ["LaneFacts", "explain_job", "explain_lane"]

MAX_HOLDERS = 10


@dataclass(frozen=True, slots=True)
class LaneFacts:
    """One consistent view of a lane. `holders`: ids of its jobs in flight, by deadline."""

    group: str
    depth: int
    in_flight: int
    limit: int | None
    paused: bool
    queue_paused: bool
    ring_position: int | None
    holders: tuple[str, ...] = ()


def explain_job(
    job_id: str,
    record: JobRecord | None,
    *,
    now_ms: int,
    stands_at: int | None,
    lane: LaneFacts | None = None,
    lane_position: int | None = None,
) -> Explanation:
    """Why a job is not being served. `stands_at`: its score at the place where it stands, `None` if
    it stands nowhere; `lane` and `lane_position` for a job pending in a lane."""

    def because(reason: ExplanationReason, text: str, **details: object) -> Explanation:
        return Explanation(job_id, reason, details, text)

    if record is None:
        return because(ExplanationReason.GONE, f"There is no job {job_id}: done, removed or lost.")
    if stands_at is None:
        return because(
            ExplanationReason.MISPLACED,
            f"The row of {job_id} says {record.state}, but no entry does: run fsck with repair.",
        )
    match record.state:
        case JobState.DEAD:
            failure = "no error" if record.last_error is None else repr(record.last_error)
            return because(
                ExplanationReason.DEAD,
                f"{job_id} is dead after {record.attempts} attempts; its last error: {failure}.",
                last_error=record.last_error,
            )
        case JobState.SCHEDULED:
            due_in_ms = max(stands_at - now_ms, 0)
            return because(
                ExplanationReason.SCHEDULED,
                f"{job_id} is scheduled; due in {due_in_ms} ms, then the next promote serves it."
                if due_in_ms
                else f"{job_id} is scheduled and due: it waits for the next promote.",
                due_ms=stands_at,
                due_in_ms=due_in_ms,
            )
        case JobState.ACTIVE:
            attempt = record.attempts - record.forgiven
            lease = (
                f"its lease ends in {stands_at - now_ms} ms"
                if stands_at > now_ms
                else "its lease has expired and waits for the next reap"
            )
            return because(
                ExplanationReason.ACTIVE,
                f"{job_id} is being handled, attempt {attempt}; {lease}.",
                deadline_ms=stands_at,
                attempt=attempt,
            )
    if lane is None:
        return because(
            ExplanationReason.WAITING,
            f"{job_id} has no group: it waits for a foreign worker, this library does not serve it.",
            group=None,
        )
    return _explain_waiting(job_id, f"{job_id} waits: ", lane, lane_position)


def explain_lane(lane: LaneFacts) -> Explanation:
    """Why a lane is not being served."""
    if lane.depth == 0:
        return Explanation(
            lane.group,
            ExplanationReason.LANE_EMPTY,
            {"group": lane.group},
            f"The lane of {lane.group!r} is empty.",
        )
    return _explain_waiting(lane.group, "", lane, None)


def _explain_waiting(
    subject: str, prefix: str, lane: LaneFacts, lane_position: int | None
) -> Explanation:
    details: dict[str, object] = {"group": lane.group}

    def because(reason: ExplanationReason, text: str) -> Explanation:
        text = prefix + text
        return Explanation(subject, reason, details, text[0].upper() + text[1:] + ".")

    if lane.queue_paused:
        return because(ExplanationReason.QUEUE_PAUSED, "the whole queue is paused")
    if lane.paused:
        return because(ExplanationReason.LANE_PAUSED, f"the lane of {lane.group!r} is paused")
    if lane.limit is not None and lane.in_flight >= lane.limit:
        holders = lane.holders[:MAX_HOLDERS]
        details |= {"in_flight": lane.in_flight, "limit": lane.limit, "holders": holders}
        return because(
            ExplanationReason.LANE_FULL,
            f"the lane of {lane.group!r} is full, {lane.in_flight} of {lane.limit} in flight, "
            f"held by {', '.join(holders) or 'nobody that can be found (run fsck)'}",
        )
    details["ring_position"] = lane.ring_position
    turn = (
        "is not on the ring though it should be: run fsck with repair"
        if lane.ring_position is None
        else f"waits for its turn, at place {lane.ring_position} of the ring"
    )
    if lane_position is None:
        return because(ExplanationReason.WAITING, f"the lane of {lane.group!r} {turn}")
    details["lane_position"] = lane_position
    return because(
        ExplanationReason.WAITING,
        f"it is at place {lane_position} of the lane of {lane.group!r}, which {turn}",
    )
