"""The sync Protocols: what every verb means (spec, section 3).

`Backend` holds the core verbs; the small feature Protocols add to it; `FullBackend` joins all.
To write a backend, implement `Backend`, run the conformance suite, then add features one by one.
The async twins in `protocol_async` differ only in `await`.

Every verb may raise `InvalidArgument` (before anything is sent), `Refused` and its kinds, and
`ConnectionTrouble` (`OutcomeUnknown`, `NotApplied`); a closed backend raises `NotApplied`
(ERR-tree, ERR-closed).
All times are integers of milliseconds on the store's clock (CLOCK-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Protocol, Self, runtime_checkable

from .values import (
    Breach,
    CompleteVerdict,
    Empty,
    Enqueued,
    Explanation,
    ExtendVerdict,
    Job,
    JobRecord,
    JobState,
    Lane,
    LaneSettings,
    NewJob,
    Page,
    QueueSnapshot,
    ReassignVerdict,
    ReleaseVerdict,
    RemoveVerdict,
    ReprocessVerdict,
    RetryVerdict,
    ServerInfo,
    Stats,
    Swept,
)

__all__ = [
    "Backend",
    "Bulk",
    "FullBackend",
    "Insight",
    "LaneControl",
    "QueuePause",
    "Repair",
    "Surgery",
    "Wake",
    "Weights",
]


@runtime_checkable
class Backend(Protocol):
    """The core verbs. Implement this: outsiders are meant to."""

    def enqueue(
        self,
        queue: str,
        group: str,
        payload: bytes,
        *,
        job_id: str | None = None,
        delay_ms: int = 0,
        run_at_ms: int | None = None,
    ) -> Enqueued:
        """Admit one job to its group's lane, or to the schedule when its due time is in the future.

        Mints an id unless given one. A row with that id exists: `duplicate`, nothing changes. A
        paused lane or queue still admits. `delay_ms` 0…10^12 counts from the store's clock;
        `run_at_ms` is an absolute Unix time in ms; not both. [VERB-enqueue, RING-3, WAKE-4]
        """
        ...

    def claim(self, queue: str, lease_ms: int) -> Job | Empty:
        """One turn of the ring for one job, leased for `lease_ms` (1…10^12).

        `Empty` is falsy, so `while job := backend.claim(q, lease_ms)` drains what can be served.
        [VERB-claim, RING-2, TOKEN-1, BOOK-2, GHOST-1]
        """
        ...

    def complete(self, queue: str, job_id: str, token: int) -> CompleteVerdict:
        """Settle a job as done: its row is deleted. Also accepted late, once, from the lane, while
        nobody has claimed the job since its lease expired. [VERB-complete, TOKEN-2]"""
        ...

    def retry(
        self,
        queue: str,
        job_id: str,
        token: int,
        *,
        delay_ms: int,
        max_attempts: int,
        error: str,
    ) -> RetryVerdict:
        """Settle a job as failed: to the schedule after `delay_ms` (0…10^12), or to `dead` once
        its attempts reach `max_attempts`. `error` is kept, cut to 4,096 bytes. [VERB-retry]"""
        ...

    def release(self, queue: str, job_id: str, token: int) -> ReleaseVerdict:
        """Give a job back to its lane at once; the attempt is forgiven. [VERB-release]"""
        ...

    def extend(self, queue: str, job_id: str, token: int, lease_ms: int) -> ExtendVerdict:
        """Move the deadline of an active job to now + `lease_ms`, also when earlier. [VERB-extend]"""
        ...

    def promote(self, queue: str, limit: int) -> Swept:
        """Move up to `limit` (1…1,000) due entries from the schedule to their lanes. [VERB-promote]"""
        ...

    def reap(self, queue: str, limit: int, *, max_attempts: int | None = None) -> Swept:
        """Return up to `limit` (1…1,000) expired jobs to their own lanes; with `max_attempts`, those
        that reached it go to `dead`. [VERB-reap, CLOCK-1]"""
        ...

    def job(self, queue: str, job_id: str) -> JobRecord | None:
        """The row of a job, or `None`. [VERB-job]"""
        ...

    def depth(self, queue: str, group: str) -> int:
        """Entries pending in a group's lane. [VERB-job]"""
        ...

    def snapshot(self, queue: str, *, max_jobs: int = 10_000) -> QueueSnapshot:
        """The whole queue in one consistent read. Raises `QueueTooLarge`. [VERB-snapshot]"""
        ...

    def check(self) -> ServerInfo:
        """What kind of store this is, with warnings. [VERB-check]"""
        ...

    def close(self) -> None:
        """Close what this backend opened; idempotent. A client that was handed in stays open.
        [ERR-closed]"""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class Bulk(Protocol):
    """Many jobs in one call. A bulk verb equals its single verb applied in input order. Items of
    `enqueue_many`, `complete_many`, `extend_many` are each atomic, the whole is not; an error
    midway carries `verdicts`. [VERB-bulk, ERR-midway]"""

    def enqueue_many(self, queue: str, items: Iterable[NewJob]) -> list[Enqueued]:
        """Admit many; answers in input order."""
        ...

    def claim_many(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        """Turns of one job each until `n` (1…1,000) are served or the ring is empty. [VERB-claim_many]"""
        ...

    def bclaim(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        """One turn for up to `n` (1…1,000) jobs of a single group. [VERB-bclaim]"""
        ...

    def complete_many(self, queue: str, pairs: Iterable[tuple[str, int]]) -> list[CompleteVerdict]:
        """Complete many (job_id, token); answers in input order."""
        ...

    def extend_many(
        self, queue: str, pairs: Iterable[tuple[str, int]], lease_ms: int
    ) -> list[ExtendVerdict]:
        """Extend many (job_id, token); answers in input order."""
        ...


@runtime_checkable
class Weights(Protocol):
    """Shares across groups: `wclaim` serves up to a lane's weight in one turn. [VERB-weights]"""

    def weight(self, queue: str, group: str, n: int) -> bool:
        """Set a group's weight, 1…1,000; whether the stored value changed."""
        ...

    def unweight(self, queue: str, group: str) -> bool:
        """Drop a group's weight (it counts as 1); whether there was one."""
        ...

    def wclaim(self, queue: str, lease_ms: int) -> list[Job] | Empty:
        """One turn for up to `weight` jobs of one lane, under one deadline."""
        ...


@runtime_checkable
class LaneControl(Protocol):
    """Pauses and ceilings of one lane; each answers whether anything changed. [VERB-lanes]"""

    def pause(self, queue: str, group: str) -> bool:
        """Take a lane off the ring; backlog and in-flight work untouched."""
        ...

    def resume(self, queue: str, group: str) -> bool:
        """Undo `pause`."""
        ...

    def limit(self, queue: str, group: str, n: int) -> bool:
        """Set the ceiling of jobs in flight, 1…2^53−1."""
        ...

    def unlimit(self, queue: str, group: str) -> bool:
        """Drop the ceiling."""
        ...


@runtime_checkable
class QueuePause(Protocol):
    """Stop every claim of a queue; each answers whether anything changed. [VERB-queue-pause]"""

    def pause_queue(self, queue: str) -> bool:
        """After this has answered, no claim serves."""
        ...

    def resume_queue(self, queue: str) -> bool:
        """Undo `pause_queue`; leaves a wake token if it changed something."""
        ...


@runtime_checkable
class Surgery(Protocol):
    """What operators do to jobs."""

    def reassign(self, queue: str, job_id: str, group: str) -> ReassignVerdict:
        """Move a pending job to another lane; token, mark and counts stay. [VERB-reassign]"""
        ...

    def drain(self, queue: str, group: str) -> int:
        """Delete a lane's pending jobs, in bounded steps; how many. [VERB-drain, ERR-midway]"""
        ...

    def remove(self, queue: str, job_id: str, *, force: bool = False) -> RemoveVerdict:
        """Delete one job wherever it stands; an active one only with `force`. [VERB-remove]"""
        ...

    def reprocess(self, queue: str, job_id: str) -> ReprocessVerdict:
        """Send a dead job back to its own lane with all its attempts again. [VERB-reprocess]"""
        ...

    def reap_group(
        self, queue: str, group: str, limit: int, *, max_attempts: int | None = None
    ) -> Swept:
        """`reap` for one group, however many others' expired jobs come first. [VERB-reap_group]"""
        ...


@runtime_checkable
class Wake(Protocol):
    """Waiting without polling. [WAKE-1 to WAKE-4]"""

    def park(self, queue: str, timeout_ms: int) -> bool:
        """Block until a wake token (true) or `timeout_ms` of real time, 0…10^12 (false); 0 does not
        block. Takes one token. [VERB-park, WAKE-3]"""
        ...

    def wake(self, queue: str) -> bool:
        """Leave a token if there is something to do and none is there; whether it did. [VERB-wake]"""
        ...

    def next_due(self, queue: str) -> int | None:
        """Ms until the earliest due time or lease deadline; 0 = overdue, `None` = nothing waits.
        [VERB-next_due]"""
        ...


@runtime_checkable
class Insight(Protocol):
    """Reads for people and dashboards; sizes count entries. [VERB-reads, PAGE-1]"""

    def depths(self, queue: str, groups: Sequence[str]) -> dict[str, int]:
        """Entries pending, for each group asked."""
        ...

    def stats(self, queue: str) -> Stats:
        """Sizes and totals. [VERB-stats]"""
        ...

    def lanes(self, queue: str, *, cursor: str | None = None, limit: int = 100) -> Page[Lane]:
        """Groups with an entry pending or a job in flight, by group."""
        ...

    def ring(self, queue: str, *, cursor: str | None = None, limit: int = 100) -> Page[str]:
        """The names on the ring, head first."""
        ...

    def dead_jobs(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]:
        """Dead jobs by id."""
        ...

    def browse(
        self, queue: str, state: JobState, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]:
        """Jobs that stand in a state: pending by group then id, dead by id, else by time then id."""
        ...

    def configuration(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[LaneSettings]:
        """Groups that have a limit, weight or pause, by group."""
        ...

    def explain(
        self, queue: str, *, job_id: str | None = None, group: str | None = None
    ) -> Explanation:
        """Why this job, or this lane, is not being served; exactly one of the two. [VERB-explain]"""
        ...


@runtime_checkable
class Repair(Protocol):
    """Finding and mending breaches. [VERB-fsck]"""

    def fsck(self, queue: str, repair: bool = False) -> list[Breach]:
        """Every breach of STATE-1, GHOST-1, BOOK-1, RING-1, KEYS-6 and SETTING-1, as found."""
        ...


@runtime_checkable
class FullBackend(
    Backend,
    Bulk,
    Weights,
    LaneControl,
    QueuePause,
    Surgery,
    Wake,
    Insight,
    Repair,
    Protocol,
):
    """All verbs."""
