"""What must hold of a queue at every moment, written from the clauses and not from the model.

Each predicate looks at one `QueueSnapshot` (and, where it counts, at the kit's own `Ledger`) and
yields a `Violation` for each breach that it sees. `transitions` judges what one step may change.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from echomq_core import QueueSnapshot

from .ledger import Ledger, ghosts, stands

__all__ = ["PREDICATES", "Violation", "check_finished", "check_snapshot", "serviceable"]


@dataclass(frozen=True, slots=True)
class Violation:
    """A breach of one clause: where, what the clause demands, what was found."""

    clause: str
    where: str
    expected: str
    found: str

    def __str__(self) -> str:
        return f"{self.clause}: {self.where}: expected {self.expected}, found {self.found}"


def serviceable(snapshot: QueueSnapshot, group: str) -> bool:
    """RING-1: nonempty, not paused, and without a limit or below it."""
    limit = snapshot.limits.get(group)
    return (
        bool(snapshot.lanes.get(group))
        and group not in snapshot.paused_groups
        and (limit is None or snapshot.in_flight.get(group, 0) < limit)
    )


def state_1_each_row_stands_once(snapshot: QueueSnapshot, ledger: Ledger) -> Iterator[Violation]:
    """STATE-1: what a row says is where its entry is."""
    kinds = {"pending": "lane", "active": "active", "scheduled": "schedule", "dead": "dead"}
    for job_id, record in snapshot.jobs.items():
        if record.group is None and record.state == "pending":
            continue
        kind = kinds.get(record.state)
        if kind is None:
            yield Violation("STATE-1", f"row {job_id}", "a state of the spec", repr(record.state))
        elif not stands(snapshot, (kind, (record.group or "") if kind == "lane" else "", job_id)):
            yield Violation(
                "STATE-1",
                f"row {job_id}",
                f"an entry where it says it is ({record.state}, group {record.group!r})",
                "no entry there",
            )


def state_1_no_entry_is_left_behind(snapshot: QueueSnapshot, ledger: Ledger) -> Iterator[Violation]:
    """STATE-1, GHOST-1: an entry without a job is there only if the kit itself lost the row."""
    found = ghosts(snapshot)
    for kind, group, job_id in sorted(found - ledger.ghosts):
        place = f"lane {group!r}" if kind == "lane" else kind
        record = snapshot.jobs.get(job_id)
        says = "it has no row" if record is None else f"its row says {record.state}"
        yield Violation("STATE-1", f"entry {job_id} in {place}", "a job that stands there", says)
    # A ghost that went, or whose id came back to its place, is forgiven no more.
    ledger.ghosts &= found


def state_2_nothing_is_lost_or_made(snapshot: QueueSnapshot, ledger: Ledger) -> Iterator[Violation]:
    """STATE-2: admitted = standing + completed + removed + drained + lost."""
    if len(snapshot.jobs) != ledger.standing:
        yield Violation(
            "STATE-2",
            "jobs that stand",
            f"{ledger.standing} (admitted {ledger.admitted} - completed {ledger.completed}"
            f" - removed {ledger.removed} - drained {ledger.drained} - lost {ledger.lost})",
            str(len(snapshot.jobs)),
        )


def field_1_totals(snapshot: QueueSnapshot, ledger: Ledger) -> Iterator[Violation]:
    """STATE-2, FIELD-1: the totals are what the answers said."""
    if snapshot.completed != ledger.completed:
        yield Violation(
            "STATE-2", "total completed", str(ledger.completed), str(snapshot.completed)
        )
    if snapshot.failed != ledger.failed:
        yield Violation("FIELD-1", "total failed", str(ledger.failed), str(snapshot.failed))


def book_1_in_flight_is_exact(snapshot: QueueSnapshot, ledger: Ledger) -> Iterator[Violation]:
    """BOOK-1: the count of standing active jobs; higher only by lost ones nobody has noticed."""
    counted = Counter(
        record.group
        for job_id, record in snapshot.jobs.items()
        if stands(snapshot, ("active", "", job_id))
    )
    groups = {group for group in counted if group is not None} | set(snapshot.in_flight)
    for group in sorted(groups):
        book = snapshot.in_flight.get(group, 0)
        low, high = counted[group], counted[group] + ledger.unnoticed[group]
        if not low <= book <= high:
            expected = str(low) if low == high else f"{low} to {high} (lost, not yet noticed)"
            yield Violation("BOOK-1", f"in flight of {group!r}", expected, str(book))
        if group in snapshot.in_flight and book <= 0:
            yield Violation("BOOK-1", f"in flight of {group!r}", "no field when 0", str(book))


def ring_1_exactly_the_serviceable_lanes(
    snapshot: QueueSnapshot, ledger: Ledger
) -> Iterator[Violation]:
    """RING-1: on the ring exactly when serviceable, and once."""
    times = Counter(snapshot.ring)
    groups = set(times) | set(snapshot.lanes)
    for group in sorted(groups):
        expected = int(serviceable(snapshot, group))
        if times[group] != expected:
            why = (
                f"depth {len(snapshot.lanes.get(group, ()))},"
                f" in flight {snapshot.in_flight.get(group, 0)},"
                f" limit {snapshot.limits.get(group)},"
                f" paused {group in snapshot.paused_groups}"
            )
            yield Violation(
                "RING-1",
                f"group {group!r} ({why})",
                f"{expected} time(s) on the ring",
                f"{times[group]} time(s)",
            )


def lanes_are_in_byte_order(snapshot: QueueSnapshot, ledger: Ledger) -> Iterator[Violation]:
    """KEYS-4: a lane lists its ids in byte order, and no lane is listed empty (KEYS-6)."""
    for group, ids in snapshot.lanes.items():
        if not ids:
            yield Violation("KEYS-6", f"lane {group!r}", "no empty lane", "an empty lane")
        ordered = sorted(ids, key=str.encode)
        if list(ids) != ordered:
            yield Violation("KEYS-4", f"lane {group!r}", str(ordered), str(list(ids)))


Predicate = Callable[[QueueSnapshot, Ledger], Iterator[Violation]]

PREDICATES: tuple[Predicate, ...] = (
    state_1_each_row_stands_once,
    state_1_no_entry_is_left_behind,
    state_2_nothing_is_lost_or_made,
    field_1_totals,
    book_1_in_flight_is_exact,
    ring_1_exactly_the_serviceable_lanes,
    lanes_are_in_byte_order,
)


def check_snapshot(snapshot: QueueSnapshot, ledger: Ledger) -> list[Violation]:
    """Every breach that a queue shows now."""
    return [found for predicate in PREDICATES for found in predicate(snapshot, ledger)]


def check_finished(snapshot: QueueSnapshot) -> list[Violation]:
    """KEYS-6: once the last job is done, nothing is left but settings, totals and tokens."""
    return [
        Violation("KEYS-6", f"{name} of a finished queue", "nothing", str(left))
        for name, left in (
            ("ring", snapshot.ring),
            ("lanes", snapshot.lanes),
            ("active", snapshot.active),
            ("schedule", snapshot.schedule),
            ("dead", snapshot.dead),
            ("jobs", tuple(snapshot.jobs)),
            ("in_flight", snapshot.in_flight),
        )
        if left
    ]
