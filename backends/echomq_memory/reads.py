"""Reads: one job, sizes, pages, and the whole queue. Sizes count entries, ghosts too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import nsmallest
from itertools import islice

from echomq_core import (
    JobRecord,
    JobState,
    Lane,
    LaneSettings,
    Page,
    QueueSnapshot,
    QueueTooLarge,
    Stats,
    minted_at_ms,
    ops,
)
from echomq_core.cursors import decode_cursor, encode_cursor

from .ordered import Ordered
from .state import QueueState

__all__ = [
    "browse",
    "configuration",
    "dead_jobs",
    "depth",
    "depths",
    "job",
    "lanes",
    "ring",
    "snapshot",
    "stats",
]


def job(q: QueueState, op: ops.ReadJob, _now_ms: int) -> JobRecord | None:
    row = q.rows.get(op.job_id)
    return None if row is None else row.record()


def depth(q: QueueState, op: ops.Depth, _now_ms: int) -> int:
    return _depth(q, op.group)


def depths(q: QueueState, op: ops.Depths, _now_ms: int) -> dict[str, int]:
    return {group: _depth(q, group) for group in op.groups}


def stats(q: QueueState, _op: ops.ReadStats, _now_ms: int) -> Stats:
    return Stats(
        pending=sum(len(lane) for lane in q.lanes.values()),
        active=len(q.active),
        scheduled=len(q.schedule),
        dead=len(q.dead),
        completed=q.completed,
        failed=q.failed,
        lanes=len(_listed(q)),
        serviceable=len(q.ring),
        paused_lanes=len(q.paused),
        wakes=q.wakes,
    )


# --- pages ------------------------------------------------------------------------------------


def lanes(q: QueueState, op: ops.Lanes, now_ms: int) -> Page[Lane]:
    """Groups with an entry pending or a job in flight, by group."""
    groups, cursor = _names_page(_listed(q), op.verb, op.cursor, op.limit)
    return Page(tuple(_lane(q, group, now_ms) for group in groups), cursor)


def configuration(q: QueueState, op: ops.Configuration, _now_ms: int) -> Page[LaneSettings]:
    """Groups with a limit, weight or pause, as stored, by group."""
    configured = q.limits.keys() | q.weights.keys() | q.paused
    groups, cursor = _names_page(configured, op.verb, op.cursor, op.limit)
    return Page(tuple(_settings(q, group) for group in groups), cursor)


def ring(q: QueueState, op: ops.Ring, _now_ms: int) -> Page[str]:
    offset = decode_cursor(op.verb, op.cursor, int)
    start = int(offset[0]) if offset else 0
    end = start + op.limit
    names = tuple(islice(q.ring, start, end))
    return Page(names, encode_cursor(op.verb, end) if end < len(q.ring) else None)


def dead_jobs(q: QueueState, op: ops.DeadJobs, _now_ms: int) -> Page[JobRecord]:
    return _dead_page(q, op.verb, op.cursor, op.limit)


def browse(q: QueueState, op: ops.Browse, _now_ms: int) -> Page[JobRecord]:
    """Jobs that stand in a state; ghosts are left out, so a page may be short."""
    read = f"{op.verb} {op.state}"
    match op.state:
        case JobState.PENDING:
            return _pending_page(q, read, op.cursor, op.limit)
        case JobState.ACTIVE:
            return _timed_page(q, q.active, op.state, read, op.cursor, op.limit)
        case JobState.SCHEDULED:
            return _timed_page(q, q.schedule, op.state, read, op.cursor, op.limit)
        case JobState.DEAD:
            return _dead_page(q, read, op.cursor, op.limit)


def _pending_page(q: QueueState, read: str, cursor: str | None, limit: int) -> Page[JobRecord]:
    after = decode_cursor(read, cursor, str, str)
    entries = list(islice(_pending_after(q, after), limit + 1))
    rows = (q.real(job_id, JobState.PENDING, group) for group, job_id in entries[:limit])
    more = encode_cursor(read, *entries[limit - 1]) if len(entries) > limit else None
    return Page(tuple(row.record() for row in rows if row is not None), more)


def _pending_after(q: QueueState, after: tuple[str | int, ...] | None) -> Iterator[tuple[str, str]]:
    for group in sorted(q.lanes):
        if after is None or group >= str(after[0]):
            for job_id in q.lanes[group].ids():
                if after is None or (group, job_id) > after:
                    yield group, job_id


def _timed_page(
    q: QueueState, place: Ordered, state: JobState, read: str, cursor: str | None, limit: int
) -> Page[JobRecord]:
    after = decode_cursor(read, cursor, int, str)
    entries = [entry for entry in place.entries() if after is None or entry > after]
    rows = (q.real(job_id, state) for _, job_id in entries[:limit])
    more = encode_cursor(read, *entries[limit - 1]) if len(entries) > limit else None
    return Page(tuple(row.record() for row in rows if row is not None), more)


def _dead_page(q: QueueState, read: str, cursor: str | None, limit: int) -> Page[JobRecord]:
    ids, more = _names_page(q.dead.ids(), read, cursor, limit)
    rows = (q.real(job_id, JobState.DEAD) for job_id in ids)
    return Page(tuple(row.record() for row in rows if row is not None), more)


def _names_page(
    names: Iterable[str], read: str, cursor: str | None, limit: int
) -> tuple[list[str], str | None]:
    """The next `limit` names in byte order, and the cursor if there are more."""
    after = decode_cursor(read, cursor, str)
    found = nsmallest(limit + 1, (name for name in names if after is None or name > str(after[0])))
    page = found[:limit]
    return page, encode_cursor(read, page[-1]) if len(found) > limit else None


def _depth(q: QueueState, group: str) -> int:
    lane = q.lanes.get(group)
    return 0 if lane is None else len(lane)


def _listed(q: QueueState) -> set[str]:
    return q.lanes.keys() | q.in_flight.keys()


def _lane(q: QueueState, group: str, now_ms: int) -> Lane:
    lane = q.lanes.get(group)
    oldest = lane.first() if lane is not None else None
    minted_ms = minted_at_ms(oldest[1]) if oldest is not None else None
    return Lane(
        group=group,
        depth=_depth(q, group),
        in_flight=q.in_flight.get(group, 0),
        limit=q.ceiling(group),
        weight=q.share(group),
        paused=group in q.paused,
        oldest_age_ms=None if minted_ms is None else max(0, now_ms - minted_ms),
    )


def _settings(q: QueueState, group: str) -> LaneSettings:
    return LaneSettings(
        group=group,
        limit=q.limits.get(group),
        weight=q.weights.get(group),
        paused=group in q.paused,
        idle=group not in q.lanes and group not in q.in_flight,
    )


# --- the whole queue --------------------------------------------------------------------------


def snapshot(q: QueueState, op: ops.Snapshot, now_ms: int) -> QueueSnapshot:
    """Every entry, and the rows of the ids that some place names. Raises `QueueTooLarge`."""
    pending = {group: tuple(lane.ids()) for group, lane in q.lanes.items()}
    active = {job_id: deadline_ms for deadline_ms, job_id in q.active.entries()}
    schedule = {job_id: due_ms for due_ms, job_id in q.schedule.entries()}
    dead = tuple(q.dead.ids())
    entries = sum(map(len, pending.values())) + len(active) + len(schedule) + len(dead)
    if entries > op.max_jobs:
        raise QueueTooLarge(entries, op.max_jobs)
    named = {*active, *schedule, *dead}.union(*pending.values())
    return QueueSnapshot(
        now_ms=now_ms,
        paused=q.queue_paused,
        ring=tuple(q.ring),
        lanes=pending,
        active=active,
        schedule=schedule,
        dead=dead,
        jobs={job_id: q.rows[job_id].record() for job_id in named if job_id in q.rows},
        in_flight=dict(q.in_flight),
        limits=dict(q.limits),
        weights=dict(q.weights),
        paused_groups=frozenset(q.paused),
        completed=q.completed,
        failed=q.failed,
        wakes=q.wakes,
    )
