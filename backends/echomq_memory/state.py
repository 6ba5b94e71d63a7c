"""The state of one queue and the few rules that every verb shares: places, books, ring, wake.

Verbs are functions over this state, one module per kind (admission, turns, settling, sweeps,
operators, reads, repair).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from echomq_core import JobRecord, JobState

from .ordered import Ordered

__all__ = ["QueueState", "Row"]


@dataclass(slots=True)
class Row:
    """A job's row (FIELD-1)."""

    id: str
    group: str
    payload: bytes
    state: JobState
    attempts: int = 0
    last_error: str | None = None
    forgiven: int = 0
    lapsed: bool = False

    @property
    def counted(self) -> int:
        """The attempts that count against a maximum."""
        return self.attempts - self.forgiven

    def record(self) -> JobRecord:
        return JobRecord(
            self.id,
            self.group,
            self.state,
            self.attempts,
            self.payload,
            self.last_error,
            self.forgiven,
            self.lapsed,
        )


class QueueState:
    """Rows, places, books, ring and token of one queue; `wakes` is 0 or 1 (WAKE-1).

    A lane is in `lanes` only while it has an entry, a count only while it is not 0 (KEYS-6).
    """

    __slots__ = (
        "active",
        "completed",
        "dead",
        "failed",
        "in_flight",
        "lanes",
        "limits",
        "paused",
        "queue",
        "queue_paused",
        "ring",
        "rows",
        "schedule",
        "wakes",
        "weights",
    )

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.rows: dict[str, Row] = {}
        self.lanes: dict[str, Ordered] = {}
        self.ring: OrderedDict[str, None] = OrderedDict()
        self.active = Ordered()
        self.schedule = Ordered()
        self.dead = Ordered()
        self.in_flight: dict[str, int] = {}
        self.limits: dict[str, int] = {}
        self.weights: dict[str, int] = {}
        self.paused: set[str] = set()
        self.queue_paused = False
        self.wakes = 0
        self.completed = 0
        self.failed = 0

    # --- places (STATE-1) ---------------------------------------------------------------------

    def standing(self, row: Row) -> JobState | None:
        """Where a job stands: its row says so and the place has its entry; else `None`."""
        match row.state:
            case JobState.PENDING:
                place = self.lanes.get(row.group)
            case JobState.ACTIVE:
                place = self.active
            case JobState.SCHEDULED:
                place = self.schedule
            case JobState.DEAD:
                place = self.dead
        return row.state if place is not None and row.id in place else None

    def real(self, job_id: str, state: JobState, group: str | None = None) -> Row | None:
        """The row behind an entry of a place, or `None` when the entry is a ghost (GHOST-1)."""
        row = self.rows.get(job_id)
        if row is None or row.state is not state or group not in (None, row.group):
            return None
        return row

    def enter_lane(self, row: Row) -> None:
        row.state = JobState.PENDING
        lane = self.lanes.get(row.group)
        if lane is None:
            lane = self.lanes[row.group] = Ordered()
        lane.add(row.id)

    def leave_lane(self, row: Row) -> None:
        lane = self.lanes[row.group]
        lane.discard(row.id)
        self.drop_empty_lane(row.group)

    def drop_empty_lane(self, group: str) -> None:
        if not self.lanes[group]:
            del self.lanes[group]

    def enter_active(self, row: Row, deadline_ms: int) -> None:
        """Lease a job and raise its group's book (BOOK-1)."""
        row.state = JobState.ACTIVE
        self.active.add(row.id, deadline_ms)
        self.in_flight[row.group] = self.in_flight.get(row.group, 0) + 1

    def leave_active(self, row: Row) -> None:
        self.active.discard(row.id)
        self.lower_book(row.group)

    def lower_book(self, group: str) -> None:
        """One standing job less in flight; never below zero, and no field for 0 (BOOK-1)."""
        count = self.in_flight.get(group, 0)
        if count > 1:
            self.in_flight[group] = count - 1
        else:
            self.in_flight.pop(group, None)

    def enter_schedule(self, row: Row, due_ms: int) -> None:
        """A job that is then the first there leaves a token: parks may be too long now (WAKE-4)."""
        row.state = JobState.SCHEDULED
        self.schedule.add(row.id, due_ms)
        if self.schedule.first() == (due_ms, row.id):
            self.leave_token()

    def enter_dead(self, row: Row, error: str) -> None:
        """The move to `dead` counts as failed (FIELD-1)."""
        row.state = JobState.DEAD
        row.last_error = error
        self.dead.add(row.id)
        self.failed += 1

    # --- ring and wake (RING-1, WAKE-1) -------------------------------------------------------

    def ceiling(self, group: str) -> int | None:
        """A group's limit; a stored one that is no positive integer counts as absent."""
        limit = self.limits.get(group)
        return limit if limit is not None and limit >= 1 else None

    def share(self, group: str) -> int:
        """A group's weight; 1 when unset, or stored as no positive integer."""
        return max(1, self.weights.get(group, 1))

    def is_full(self, group: str) -> bool:
        limit = self.ceiling(group)
        return limit is not None and self.in_flight.get(group, 0) >= limit

    def is_serviceable(self, group: str) -> bool:
        """RING-1."""
        return group in self.lanes and group not in self.paused and not self.is_full(group)

    def settle(self, group: str) -> None:
        """RING-3: off the ring if no longer serviceable; at the tail, with a wake, if it became so."""
        if not self.is_serviceable(group):
            self.ring.pop(group, None)
        elif group not in self.ring:
            self.ring[group] = None
            self.leave_token()

    def leave_token(self) -> None:
        """WAKE-1: one token, into an empty list only."""
        if not self.wakes:
            self.wakes = 1

    # --- recount (BOOK-1) ---------------------------------------------------------------------

    def true_books(self) -> dict[str, int]:
        """The jobs of each group that stand in `active`: a scan of it."""
        counts: dict[str, int] = {}
        for job_id in self.active.ids():
            row = self.real(job_id, JobState.ACTIVE)
            if row is not None:
                counts[row.group] = counts.get(row.group, 0) + 1
        return counts

    def recount(self) -> None:
        """All books anew from `active`; lanes whose count changed settle, in byte order."""
        before, self.in_flight = self.in_flight, self.true_books()
        for group in sorted(before.keys() | self.in_flight.keys()):
            if before.get(group) != self.in_flight.get(group):
                self.settle(group)
