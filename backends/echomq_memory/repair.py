"""`fsck`: every breach as found, and the mending that loses no job.

Each clause is judged on the state as found: RING-1 by the count that is stored, with ghosts as
entries. So one fault is told once, not again by what mending it will change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from echomq_core import Breach, JobState, Keyspace, breaches, ops

from .ordered import Ordered
from .state import QueueState, Row

__all__ = ["fsck"]


def fsck(q: QueueState, op: ops.Fsck, _now_ms: int) -> list[Breach]:
    """All breaches by (clause, key, group, id); with `repair` they are mended, too."""
    keys = Keyspace(q.queue)
    finders = (_stray_rows, _ghosts, _books, _ring, _settings)
    found = breaches.in_order(b for find in finders for b in find(q, keys, op.repair))
    if op.repair:
        _mend(q)
    return found


def _stray_rows(q: QueueState, keys: Keyspace, repaired: bool) -> Iterator[Breach]:
    for row in _standing_nowhere(q):
        yield breaches.lost_row(keys.job(row.id), row.group, row.id, row.state, repaired=repaired)


def _ghosts(q: QueueState, keys: Keyspace, repaired: bool) -> Iterator[Breach]:
    for place, state, group in _places(q):
        for job_id in _ghosts_of(q, place, state, group):
            yield breaches.ghost_entry(
                _key_of(keys, state, group), group, job_id, repaired=repaired
            )


def _books(q: QueueState, keys: Keyspace, repaired: bool) -> Iterator[Breach]:
    true = q.true_books()
    for group in true.keys() | q.in_flight.keys():
        stored, expected = q.in_flight.get(group, 0), true.get(group, 0)
        if stored != expected:
            yield breaches.wrong_book(
                keys.in_flight, group, str(stored), expected, repaired=repaired
            )
        elif not stored and group in q.in_flight:
            yield breaches.zero_book(keys.in_flight, group, repaired=repaired)


def _ring(q: QueueState, keys: Keyspace, repaired: bool) -> Iterator[Breach]:
    for group in q.lanes.keys() | q.ring.keys():
        times, right = int(group in q.ring), int(q.is_serviceable(group))
        if times != right:
            yield breaches.ring_membership(keys.ring, group, times, right, repaired=repaired)


def _settings(q: QueueState, keys: Keyspace, repaired: bool) -> Iterator[Breach]:
    for key, stored in ((keys.limits, q.limits), (keys.weights, q.weights)):
        for group, n in stored.items():
            if n < 1:
                yield breaches.unusable_setting(key, group, str(n), repaired=repaired)


def _mend(q: QueueState) -> None:
    """Ghosts go, stray rows are placed, books are recounted; then the ring, in byte order."""
    for place, state, group in _places(q):
        for job_id in _ghosts_of(q, place, state, group):
            place.discard(job_id)
        if group is not None:
            q.drop_empty_lane(group)
    for row in _standing_nowhere(q):
        row.lapsed = False
        if row.state is JobState.DEAD:
            q.dead.add(row.id)
        else:
            q.enter_lane(row)
    for stored in (q.limits, q.weights):
        for group in [group for group, n in stored.items() if n < 1]:
            del stored[group]
    q.in_flight = q.true_books()
    for group in sorted(q.lanes.keys() | q.ring.keys()):
        q.settle(group)


def _standing_nowhere(q: QueueState) -> list[Row]:
    return [row for row in q.rows.values() if q.standing(row) is None]


def _places(q: QueueState) -> Iterable[tuple[Ordered, JobState, str | None]]:
    """Every place, with the state that its rows say and, for a lane, the group."""
    lanes = [(lane, JobState.PENDING, group) for group, lane in q.lanes.items()]
    return [
        *lanes,
        (q.active, JobState.ACTIVE, None),
        (q.schedule, JobState.SCHEDULED, None),
        (q.dead, JobState.DEAD, None),
    ]


def _ghosts_of(q: QueueState, place: Ordered, state: JobState, group: str | None) -> list[str]:
    return [job_id for job_id in place.ids() if q.real(job_id, state, group) is None]


def _key_of(keys: Keyspace, state: JobState, group: str | None) -> str:
    match state:
        case JobState.PENDING:
            return keys.lane(group or "")
        case JobState.ACTIVE:
            return keys.active
        case JobState.SCHEDULED:
            return keys.schedule
        case JobState.DEAD:
            return keys.dead
