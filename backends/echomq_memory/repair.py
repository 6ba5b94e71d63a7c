"""`fsck`: every breach as found, and the mending that loses no job.

The texts of a `Breach`, the same for every backend:

| clause | key | found | expected |
|---|---|---|---|
| STATE-1 | the row's | `row says STATE, no entry` | `an entry in dead`, `an entry in its lane` |
| GHOST-1 | the place's | `entry without its row` | `no entry` |
| BOOK-1 | `gactive` | the count stored, `0` when absent | the true count |
| RING-1 | `ring` | `absent`, `N times` | `once`, `absent` |
| KEYS-6 | `gactive` | `0` | `absent` |
| SETTING-1 | `glimit`, `gweight` | the value stored | `a positive integer` |

Each clause is judged on the state as found: RING-1 by the count that is stored, with ghosts as
entries. So one fault is told once, not again by what mending it will change.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from echomq_core import Breach, JobState, Keyspace, ops

from .ordered import Ordered
from .state import QueueState, Row

__all__ = ["fsck"]


def fsck(q: QueueState, op: ops.Fsck, _now_ms: int) -> list[Breach]:
    """All breaches by (clause, key, group, id); with `repair` they are mended, too."""
    keys = Keyspace(q.queue)
    finders = (_stray_rows, _ghosts, _books, _ring, _settings)
    breaches = [breach for find in finders for breach in find(q, keys, op.repair)]
    breaches.sort(key=lambda b: (b.clause, b.key, b.group or "", b.job_id or ""))
    if op.repair:
        _mend(q)
    return breaches


def _stray_rows(q: QueueState, keys: Keyspace, mended: bool) -> Iterator[Breach]:
    for row in _standing_nowhere(q):
        place = "dead" if row.state is JobState.DEAD else "its lane"
        found = f"row says {row.state}, no entry"
        yield Breach(
            "STATE-1", keys.job(row.id), row.group, row.id, found, f"an entry in {place}", mended
        )


def _ghosts(q: QueueState, keys: Keyspace, mended: bool) -> Iterator[Breach]:
    for place, state, group in _places(q):
        key = _key_of(keys, state, group)
        for job_id in _ghosts_of(q, place, state, group):
            yield Breach("GHOST-1", key, group, job_id, "entry without its row", "no entry", mended)


def _books(q: QueueState, keys: Keyspace, mended: bool) -> Iterator[Breach]:
    true = q.true_books()
    for group in true.keys() | q.in_flight.keys():
        stored, expected = q.in_flight.get(group), true.get(group, 0)
        if (stored or 0) != expected:
            yield Breach(
                "BOOK-1", keys.in_flight, group, None, str(stored or 0), str(expected), mended
            )
        if stored == 0:
            yield Breach("KEYS-6", keys.in_flight, group, None, "0", "absent", mended)


def _ring(q: QueueState, keys: Keyspace, mended: bool) -> Iterator[Breach]:
    for group in q.lanes.keys() | q.ring.keys():
        serviceable = q.is_serviceable(group)
        if serviceable and group not in q.ring:
            yield Breach("RING-1", keys.ring, group, None, "absent", "once", mended)
        if group in q.ring and not serviceable:
            yield Breach("RING-1", keys.ring, group, None, "1 times", "absent", mended)


def _settings(q: QueueState, keys: Keyspace, mended: bool) -> Iterator[Breach]:
    for key, stored in ((keys.limits, q.limits), (keys.weights, q.weights)):
        for group, n in stored.items():
            if n < 1:
                yield Breach("SETTING-1", key, group, None, str(n), "a positive integer", mended)


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
