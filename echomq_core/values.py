"""Value types: what verbs take and answer. Frozen, slotted, compared by value (spec, "Answers")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, Literal, TypeVar

__all__ = [
    "Breach",
    "CompleteVerdict",
    "Empty",
    "EmptyReason",
    "Enqueued",
    "Explanation",
    "ExplanationReason",
    "ExtendVerdict",
    "Fate",
    "Job",
    "JobRecord",
    "JobState",
    "Lane",
    "LaneSettings",
    "NewJob",
    "Page",
    "QueueSnapshot",
    "ReassignVerdict",
    "ReleaseVerdict",
    "RemoveVerdict",
    "ReprocessVerdict",
    "RetryVerdict",
    "ServerInfo",
    "Stats",
    "Swept",
]

T = TypeVar("T")


class JobState(StrEnum):
    """The `state` of a row (STATE-1)."""

    PENDING = "pending"
    ACTIVE = "active"
    SCHEDULED = "scheduled"
    DEAD = "dead"


class EmptyReason(StrEnum):
    """Why a claim served nothing. After the first two a consumer parks; after `ghost` it asks again."""

    QUEUE_PAUSED = "queue_paused"
    RING_EMPTY = "ring_empty"
    GHOST = "ghost"


class CompleteVerdict(StrEnum):
    COMPLETED = "completed"
    GONE = "gone"
    STALE = "stale"


class RetryVerdict(StrEnum):
    SCHEDULED = "scheduled"
    DEAD = "dead"
    GONE = "gone"
    STALE = "stale"


class ReleaseVerdict(StrEnum):
    RELEASED = "released"
    GONE = "gone"
    STALE = "stale"


class ExtendVerdict(StrEnum):
    EXTENDED = "extended"
    GONE = "gone"
    STALE = "stale"


class ReassignVerdict(StrEnum):
    REASSIGNED = "reassigned"
    NOOP = "noop"
    NOT_FOUND = "not_found"
    NOT_PENDING = "not_pending"


class RemoveVerdict(StrEnum):
    REMOVED = "removed"
    GONE = "gone"
    ACTIVE = "active"


class ReprocessVerdict(StrEnum):
    REPROCESSED = "reprocessed"
    GONE = "gone"
    NOT_DEAD = "not_dead"


class ExplanationReason(StrEnum):
    """Why a job or a lane is not being served; the first that holds (verb `explain`)."""

    GONE = "gone"
    MISPLACED = "misplaced"
    DEAD = "dead"
    SCHEDULED = "scheduled"
    ACTIVE = "active"
    LANE_EMPTY = "lane_empty"
    QUEUE_PAUSED = "queue_paused"
    LANE_PAUSED = "lane_paused"
    LANE_FULL = "lane_full"
    WAITING = "waiting"


class Fate(StrEnum):
    """What is known of an item that a failed bulk verb did not answer."""

    UNKNOWN = "unknown"
    NOT_APPLIED = "not_applied"


@dataclass(frozen=True, slots=True)
class Job:
    """One claimed job.

    `token` is the fencing token: it names this claim in every settling verb (TOKEN-1).
    `attempt` counts the attempts that count, this one included: the number for a backoff.
    `deadline_ms` is when the lease ends, on the store's clock.
    """

    id: str
    group: str
    payload: bytes
    token: int
    attempt: int
    deadline_ms: int


@dataclass(frozen=True, slots=True)
class Empty:
    """Nothing was served, and why. Falsy, of length 0, iterates as nothing."""

    reason: EmptyReason

    def __bool__(self) -> Literal[False]:
        return False

    def __len__(self) -> int:
        return 0

    def __iter__(self) -> Iterator[Job]:
        return iter(())


@dataclass(frozen=True, slots=True)
class NewJob:
    """One item of `enqueue_many`; the fields are the arguments of `enqueue`."""

    group: str
    payload: bytes
    job_id: str | None = None
    delay_ms: int = 0
    run_at_ms: int | None = None


@dataclass(frozen=True, slots=True)
class Enqueued:
    """Answer of an admission. `duplicate`: a row with this id existed, nothing changed."""

    id: str
    duplicate: bool


@dataclass(frozen=True, slots=True)
class Swept:
    """Answer of a sweep: entries returned to lanes, sent to `dead`, and ghosts dropped."""

    returned: int
    dead: int
    dropped: int

    @property
    def total(self) -> int:
        """Entries dealt with; a caller sweeps again while `total == limit`."""
        return self.returned + self.dead + self.dropped


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job's row as stored. `group` is `None` only for rows of foreign workers."""

    id: str
    group: str | None
    state: str
    attempts: int
    payload: bytes
    last_error: str | None = None
    forgiven: int = 0
    lapsed: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """A group with an entry pending or a job in flight. `weight` is 1 when unset; `limit` is
    `None` without one; `oldest_age_ms` is `None` when the lane is empty or its oldest id carries no
    mint time."""

    group: str
    depth: int
    in_flight: int
    limit: int | None
    weight: int
    paused: bool
    oldest_age_ms: int | None


@dataclass(frozen=True, slots=True)
class LaneSettings:
    """A group that has a limit, weight or pause; stored values or `None`.

    `idle`: nothing pending and nothing in flight (scheduled jobs do not count).
    """

    group: str
    limit: int | None
    weight: int | None
    paused: bool
    idle: bool


@dataclass(frozen=True, slots=True)
class Stats:
    """Sizes of a queue, in entries (ghosts count), and its totals.

    `lanes` = groups as `lanes` lists them, `serviceable` = length of the ring, `paused_lanes` =
    size of `paused`, `wakes` = wake tokens waiting.
    """

    pending: int
    active: int
    scheduled: int
    dead: int
    completed: int
    failed: int
    lanes: int
    serviceable: int
    paused_lanes: int
    wakes: int


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page of a paged read. `cursor` is opaque, `None` at the end; a page may be short before."""

    items: tuple[T, ...]
    cursor: str | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a job or lane is not being served. `text` is one sentence for a person.

    `details` by reason. Jobs: `dead` → `last_error` (may be `None`); `scheduled` → `due_ms`,
    `due_in_ms`; `active` → `deadline_ms`, `attempt`; `gone`, `misplaced` → nothing. Lanes, and
    jobs pending in one, carry `group`, and: `lane_full` → `in_flight`, `limit`, `holders` (up to
    ten ids by deadline); `waiting` → `ring_position`, and for a job `lane_position` (from 0).
    """

    subject: str
    reason: ExplanationReason
    details: Mapping[str, object]
    text: str


@dataclass(frozen=True, slots=True)
class ServerInfo:
    """What kind of store this is (verb `check`). Unknown values are the text `unknown`."""

    product: str
    version: str
    topology: str
    scripts: bool
    eviction: str
    persistence: str
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Breach:
    """One breach of a clause that `fsck` found, as found. `repaired`: it was mended."""

    clause: str
    key: str
    group: str | None
    job_id: str | None
    found: str
    expected: str
    repaired: bool


@dataclass(frozen=True, slots=True)
class QueueSnapshot:
    """A whole queue in one consistent read. A ghost is an id in a place and not in `jobs`."""

    now_ms: int
    paused: bool
    ring: tuple[str, ...] = ()
    lanes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    active: Mapping[str, int] = field(default_factory=dict)
    schedule: Mapping[str, int] = field(default_factory=dict)
    dead: tuple[str, ...] = ()
    jobs: Mapping[str, JobRecord] = field(default_factory=dict)
    in_flight: Mapping[str, int] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)
    weights: Mapping[str, int] = field(default_factory=dict)
    paused_groups: frozenset[str] = frozenset()
    completed: int = 0
    failed: int = 0
    wakes: int = 0
