"""What the kit itself has counted of one queue, from answers alone: the other side of STATE-2.

Nothing here is taken from the model. The ledger also remembers which entries became ghosts through
the kit's own hand, so that any other entry without a job is a fault.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from echomq_core import Empty, Job, JobRecord, QueueSnapshot, ops
from echomq_core.values import CompleteVerdict, RemoveVerdict, RetryVerdict

__all__ = ["Entry", "Ledger", "claimed", "entries", "ghosts", "stands"]

Entry = tuple[str, str, str]
"""A place's kind, the group (for a lane, else empty), the id."""


def entries(snapshot: QueueSnapshot) -> Iterator[Entry]:
    """Every entry of every place."""
    for group, ids in snapshot.lanes.items():
        for job_id in ids:
            yield "lane", group, job_id
    for kind, place in (
        ("active", snapshot.active),
        ("schedule", snapshot.schedule),
        ("dead", snapshot.dead),
    ):
        for job_id in place:
            yield kind, "", job_id


_KINDS = {"pending": "lane", "active": "active", "scheduled": "schedule", "dead": "dead"}


def _place_named(record: JobRecord) -> Entry:
    kind = _KINDS.get(record.state, record.state)
    return kind, (record.group or "") if kind == "lane" else "", record.id


def stands(snapshot: QueueSnapshot, entry: Entry) -> bool:
    """STATE-1: the place has the entry, and the row of its id says so."""
    kind, group, job_id = entry
    place: Collection[str]
    if kind == "lane":
        place = snapshot.lanes.get(group, ())
    else:
        place = {
            "active": snapshot.active,
            "schedule": snapshot.schedule,
            "dead": snapshot.dead,
        }[kind]
    return job_id in place and _row_says(snapshot, entry)


def _row_says(snapshot: QueueSnapshot, entry: Entry) -> bool:
    record = snapshot.jobs.get(entry[2])
    return record is not None and _place_named(record) == entry


def ghosts(snapshot: QueueSnapshot) -> set[Entry]:
    """The entries whose row does not say so (GHOST-1)."""
    return {entry for entry in entries(snapshot) if not _row_says(snapshot, entry)}


def claimed(answer: object) -> list[Job]:
    """The jobs in the answer of any claim verb."""
    match answer:
        case Job():
            return [answer]
        case list():
            return [job for job in answer if isinstance(job, Job)]
        case Empty():
            return []
        case _:
            return []


class Ledger:
    """Counts of one queue's life: admitted, completed, removed, drained, lost, and failed."""

    def __init__(self) -> None:
        self.admitted = 0
        self.completed = 0
        self.removed = 0
        self.drained = 0
        self.lost = 0
        self.failed = 0
        self.ghosts: set[Entry] = set()
        self.unnoticed: Counter[str] = Counter()
        """Per group: active jobs whose row was lost, until a recount may have noticed (BOOK-1)."""

    @property
    def standing(self) -> int:
        """How many jobs must stand somewhere now (STATE-2)."""
        return self.admitted - self.completed - self.removed - self.drained - self.lost

    def lose(self, before: QueueSnapshot, job_id: str) -> None:
        """A row vanished behind the queue's back; `before` is the queue just before it did."""
        record = before.jobs.get(job_id)
        if record is None:
            return
        self.lost += 1
        self.ghosts |= {entry for entry in entries(before) if entry[2] == job_id}
        if stands(before, ("active", "", job_id)) and record.group is not None:
            self.unnoticed[record.group] += 1

    def record(  # noqa: PLR0912 - one branch per verb that counts
        self, op: ops.Op[Any], answer: Any, before: QueueSnapshot
    ) -> None:
        """Count one verb by its answer. `before`: the queue before it."""
        match op:
            case ops.Enqueue():
                self.admitted += not answer.duplicate
            case ops.EnqueueMany():
                self.admitted += sum(not item.duplicate for item in answer)
            case ops.Complete():
                self.completed += answer == CompleteVerdict.COMPLETED
            case ops.CompleteMany():
                self.completed += sum(item == CompleteVerdict.COMPLETED for item in answer)
            case ops.Retry():
                self.failed += answer == RetryVerdict.DEAD
            case ops.Remove():
                self.removed += answer == RemoveVerdict.REMOVED
            case ops.Drain():
                self.drained += answer
            case ops.Reap() | ops.ReapGroup():
                self.failed += answer.dead
                if isinstance(op, ops.Reap) and answer.dropped:
                    self.unnoticed.clear()
            case ops.Fsck():
                if op.repair:
                    self.unnoticed.clear()
            case ops.Claim() | ops.ClaimMany() | ops.WClaim() | ops.BClaim():
                # An id that already had an entry in `active` makes the claim recount (BOOK-1).
                if any(job.id in before.active for job in claimed(answer)):
                    self.unnoticed.clear()
            case _:
                pass
