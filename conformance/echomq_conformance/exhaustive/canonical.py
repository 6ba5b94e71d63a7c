"""The states of a world: frozen queues in which what no verb can tell apart is made equal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from echomq_memory.frozen import FrozenQueue

from echomq_core import JobRecord

__all__ = ["NOW_MS", "canonical", "is_finished"]

NOW_MS = 10**12
"""The clock of every canonical state."""

_APART_MS = 10**6


def canonical(queue: FrozenQueue, now_ms: int, told_attempts: int) -> FrozenQueue:
    """The state at `NOW_MS` that behaves as `queue` does at `now_ms`.

    Deadlines and due times keep their order, and whether they have passed. The totals, which no
    verb looks at, are 0; so is the error text of a row absent. The walks on a target compare all
    of these as they really are.
    """
    return replace(
        queue,
        rows=tuple(_row(row, told_attempts) for row in queue.rows),
        active=_ranked(queue.active, now_ms),
        schedule=_ranked(queue.schedule, now_ms),
        completed=0,
        failed=0,
    )


def _row(row: JobRecord, told_attempts: int) -> JobRecord:
    if told_attempts:
        attempts = min(row.attempts, told_attempts)
        forgiven = attempts - min(row.attempts - row.forgiven, told_attempts)
    else:
        attempts, forgiven = 1, 0
    if (row.attempts, row.forgiven, row.last_error) == (attempts, forgiven, None):
        return row
    return JobRecord(
        row.id, row.group, row.state, attempts, row.payload, None, forgiven, row.lapsed
    )


def _ranked(place: Sequence[tuple[str, int]], now_ms: int) -> tuple[tuple[str, int], ...]:
    """Passed times end just before now, the others start just after; order (time, id) stays."""
    if not place:
        return ()
    ordered = sorted(place, key=lambda entry: (entry[1], entry[0]))
    passed = sum(due_ms <= now_ms for _, due_ms in ordered)
    ranked = [
        (job_id, NOW_MS + (rank - passed + (rank >= passed)) * _APART_MS)
        for rank, (job_id, _) in enumerate(ordered)
    ]
    return tuple(sorted(ranked))


def is_finished(queue: FrozenQueue) -> bool:
    """Whether every job has ended and every book is empty (KEYS-6)."""
    return not (
        queue.rows
        or queue.lanes
        or queue.ring
        or queue.active
        or queue.schedule
        or queue.dead
        or queue.in_flight
    )
