"""`explain`: the facts about a job or a lane; core makes the sentence of them."""

from __future__ import annotations

from echomq_core import Explanation, JobState, ops
from echomq_core.explaining import LaneFacts, explain_job, explain_lane

from .state import QueueState, Row

__all__ = ["explain"]


def explain(q: QueueState, op: ops.Explain, now_ms: int) -> Explanation:
    if op.group is not None:
        return explain_lane(_facts(q, op.group))
    job_id = op.job_id or ""
    row = q.rows.get(job_id)
    if row is None:
        return explain_job(job_id, None, now_ms=now_ms, stands_at=None)
    pending = q.standing(row) is JobState.PENDING
    return explain_job(
        job_id,
        row.record(),
        now_ms=now_ms,
        stands_at=_stands_at(q, row),
        lane=_facts(q, row.group) if pending else None,
        lane_position=q.lanes[row.group].ids().index(job_id) if pending else None,
    )


def _stands_at(q: QueueState, row: Row) -> int | None:
    match q.standing(row):
        case None:
            return None
        case JobState.ACTIVE:
            return q.active.score(row.id)
        case JobState.SCHEDULED:
            return q.schedule.score(row.id)
    return 0


def _facts(q: QueueState, group: str) -> LaneFacts:
    return LaneFacts(
        group=group,
        depth=len(q.lanes.get(group, ())),
        in_flight=q.in_flight.get(group, 0),
        limit=q.ceiling(group),
        paused=group in q.paused,
        queue_paused=q.queue_paused,
        ring_position=list(q.ring).index(group) if group in q.ring else None,
        holders=tuple(
            i
            for i in q.active.ids()
            if (row := q.real(i, JobState.ACTIVE)) is not None and row.group == group
        ),
    )
