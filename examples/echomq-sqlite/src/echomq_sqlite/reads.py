"""Reads: they change nothing, and sizes count entries (VERB-job, VERB-snapshot)."""

from __future__ import annotations

from types import MappingProxyType

from echomq_core import JobRecord, JobState, QueueSnapshot, QueueTooLarge, ops

from .tables import Queue

__all__ = ["depth", "job", "snapshot"]


def job(q: Queue, op: ops.ReadJob, _now_ms: int) -> JobRecord | None:
    return q.row(op.job_id)


def depth(q: Queue, op: ops.Depth, _now_ms: int) -> int:
    found = q.run("SELECT count(*) FROM lanes WHERE queue = ? AND grp = ?", op.group)
    return int(found.fetchone()[0])


def snapshot(q: Queue, op: ops.Snapshot, now_ms: int) -> QueueSnapshot:
    """One transaction sees one instant. `jobs` has the rows of ids that some place names."""
    entries = sum(
        q.run(f"SELECT count(*) FROM {table} WHERE queue = ?").fetchone()[0]
        for table in ("lanes", "places")
    )
    if entries > op.max_jobs:
        raise QueueTooLarge(entries, op.max_jobs)
    lanes: dict[str, list[str]] = {}
    for group, job_id in q.run("SELECT grp, id FROM lanes WHERE queue = ? ORDER BY grp, id"):
        lanes.setdefault(group, []).append(job_id)
    places: dict[str, dict[str, int]] = {state: {} for state in JobState}
    for state, job_id, at in q.run(
        "SELECT state, id, at FROM places WHERE queue = ? ORDER BY at, id"
    ):
        places[state][job_id] = at
    rows = {
        job_id: q.row(job_id) for place in (*lanes.values(), *places.values()) for job_id in place
    }
    totals = q.run("SELECT completed, failed, wake FROM totals WHERE queue = ?").fetchone()
    completed, failed, wakes = totals or (0, 0, 0)
    ring = q.run("SELECT grp FROM ring WHERE queue = ? ORDER BY position")
    books = q.run("SELECT grp, in_flight FROM books WHERE queue = ? ORDER BY grp")
    return QueueSnapshot(
        now_ms=now_ms,
        paused=False,
        ring=tuple(group for (group,) in ring),
        lanes=MappingProxyType({group: tuple(ids) for group, ids in lanes.items()}),
        active=MappingProxyType(places[JobState.ACTIVE]),
        schedule=MappingProxyType(places[JobState.SCHEDULED]),
        dead=tuple(places[JobState.DEAD]),
        jobs=MappingProxyType({job_id: row for job_id, row in rows.items() if row is not None}),
        in_flight=MappingProxyType(dict(books)),
        completed=completed,
        failed=failed,
        wakes=wakes,
    )
