"""The full state of a queue as one hashable value, and back: for searches that need to return."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from echomq_core import JobRecord, JobState

from .ordered import Ordered
from .state import QueueState, Row

__all__ = ["FrozenQueue", "freeze", "thaw"]


@dataclass(frozen=True, slots=True)
class FrozenQueue:
    """Every part of a `QueueState`. Sorted, but for `ring`, which is in ring order.

    `active` and `schedule` hold (id, score); `rows` by id, also those that no place names.
    """

    queue: str
    rows: tuple[JobRecord, ...]
    lanes: tuple[tuple[str, tuple[str, ...]], ...]
    ring: tuple[str, ...]
    active: tuple[tuple[str, int], ...]
    schedule: tuple[tuple[str, int], ...]
    dead: tuple[str, ...]
    in_flight: tuple[tuple[str, int], ...]
    limits: tuple[tuple[str, int], ...]
    weights: tuple[tuple[str, int], ...]
    paused: tuple[str, ...]
    queue_paused: bool
    wakes: int
    completed: int
    failed: int


def freeze(q: QueueState) -> FrozenQueue:
    return FrozenQueue(
        queue=q.queue,
        rows=tuple(q.rows[job_id].record() for job_id in sorted(q.rows)),
        lanes=tuple((group, tuple(q.lanes[group].ids())) for group in sorted(q.lanes)),
        ring=tuple(q.ring),
        active=_by_id(q.active),
        schedule=_by_id(q.schedule),
        dead=tuple(q.dead.ids()),
        in_flight=tuple(sorted(q.in_flight.items())),
        limits=tuple(sorted(q.limits.items())),
        weights=tuple(sorted(q.weights.items())),
        paused=tuple(sorted(q.paused)),
        queue_paused=q.queue_paused,
        wakes=q.wakes,
        completed=q.completed,
        failed=q.failed,
    )


def thaw(frozen: FrozenQueue) -> QueueState:
    """A state of its own, equal to the one that was frozen. Raises `ValueError` for a ring that
    names a group twice: this state cannot hold one."""
    if len(set(frozen.ring)) != len(frozen.ring):
        raise ValueError(f"the ring {frozen.ring!r} names a group twice")
    q = QueueState(frozen.queue)
    q.rows = {record.id: _row(record) for record in frozen.rows}
    q.lanes = {group: _unscored(ids) for group, ids in frozen.lanes}
    q.ring = OrderedDict.fromkeys(frozen.ring)
    q.active = Ordered(frozen.active)
    q.schedule = Ordered(frozen.schedule)
    q.dead = _unscored(frozen.dead)
    q.in_flight = dict(frozen.in_flight)
    q.limits = dict(frozen.limits)
    q.weights = dict(frozen.weights)
    q.paused = set(frozen.paused)
    q.queue_paused = frozen.queue_paused
    q.wakes = frozen.wakes
    q.completed = frozen.completed
    q.failed = frozen.failed
    return q


def _by_id(place: Ordered) -> tuple[tuple[str, int], ...]:
    return tuple(sorted((job_id, score) for score, job_id in place.entries()))


def _unscored(ids: tuple[str, ...]) -> Ordered:
    return Ordered((job_id, 0) for job_id in ids)


def _row(record: JobRecord) -> Row:
    if record.group is None:
        raise ValueError(f"row {record.id!r} has no group")
    return Row(
        record.id,
        record.group,
        record.payload,
        JobState(record.state),
        record.attempts,
        record.last_error,
        record.forgiven,
        record.lapsed,
    )
