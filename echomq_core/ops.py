"""Operations: one frozen value per verb, checked when it is made.

A backend gets a verb call as one of these, so every argument rule lives here once and a call can
be compared, logged, replayed and recorded. `Op[A]`: a verb whose answer has type `A`. The field
names are the verb's argument names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from . import checks
from .errors import InvalidArgument
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

A = TypeVar("A")

Pairs = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Op(Generic[A]):
    """Base of all operations. `verb` is the method's name; `reads`: it changes nothing."""

    verb: ClassVar[str]
    reads: ClassVar[bool] = False


@dataclass(frozen=True, slots=True)
class QueueOp(Op[A]):
    """An operation on one queue."""

    queue: str

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)


@dataclass(frozen=True, slots=True)
class GroupOp(QueueOp[A]):
    """An operation on one group of a queue."""

    group: str

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_group(self.group)


@dataclass(frozen=True, slots=True)
class JobOp(QueueOp[A]):
    """An operation on one job of a queue."""

    job_id: str

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_any_id(self.job_id)


# --- admission --------------------------------------------------------------------------------


def _check_admission(item: NewJob | Enqueue, at: str = "") -> None:
    checks.check_group(item.group, f"{at}group")
    checks.check_payload(item.payload, f"{at}payload")
    if item.job_id is not None:
        checks.check_job_id(item.job_id, f"{at}job_id")
    checks.check_duration_ms(item.delay_ms, f"{at}delay_ms", low=0)
    if item.run_at_ms is not None:
        checks.check_count(item.run_at_ms, f"{at}run_at_ms", low=0)
        if item.delay_ms:
            raise InvalidArgument(
                f"{at}run_at_ms",
                item.run_at_ms,
                f"a job has a delay or a run_at_ms, not both (delay_ms={item.delay_ms})",
                "Drop one of them",
            )


@dataclass(frozen=True, slots=True)
class Enqueue(QueueOp[Enqueued]):
    verb: ClassVar[str] = "enqueue"
    group: str
    payload: bytes
    job_id: str | None = None
    delay_ms: int = 0
    run_at_ms: int | None = None

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        _check_admission(self)

    def as_item(self) -> NewJob:
        return NewJob(self.group, self.payload, self.job_id, self.delay_ms, self.run_at_ms)


@dataclass(frozen=True, slots=True)
class EnqueueMany(QueueOp[list[Enqueued]]):
    verb: ClassVar[str] = "enqueue_many"
    items: tuple[NewJob, ...]

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        for index, item in enumerate(self.items):
            if not isinstance(item, NewJob):
                raise InvalidArgument(
                    f"items[{index}]", item, "an item is a NewJob", "Pass NewJob(group, payload)"
                )
            _check_admission(item, f"items[{index}].")


# --- claims -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim(QueueOp[Job | Empty]):
    verb: ClassVar[str] = "claim"
    lease_ms: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_duration_ms(self.lease_ms, "lease_ms", low=1)


@dataclass(frozen=True, slots=True)
class ClaimMany(QueueOp[list[Job] | Empty]):
    verb: ClassVar[str] = "claim_many"
    lease_ms: int
    n: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_duration_ms(self.lease_ms, "lease_ms", low=1)
        checks.check_count(self.n, "n", high=checks.MAX_CLAIM)


@dataclass(frozen=True, slots=True)
class WClaim(QueueOp[list[Job] | Empty]):
    verb: ClassVar[str] = "wclaim"
    lease_ms: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_duration_ms(self.lease_ms, "lease_ms", low=1)


@dataclass(frozen=True, slots=True)
class BClaim(QueueOp[list[Job] | Empty]):
    verb: ClassVar[str] = "bclaim"
    lease_ms: int
    n: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_duration_ms(self.lease_ms, "lease_ms", low=1)
        checks.check_count(self.n, "n", high=checks.MAX_CLAIM)


# --- settling ---------------------------------------------------------------------------------


def _check_pairs(pairs: Pairs) -> None:
    for index, pair in enumerate(pairs):
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise InvalidArgument(
                f"pairs[{index}]", pair, "a pair is (job_id, token)", "Pass (job.id, job.token)"
            )
        checks.check_any_id(pair[0], f"pairs[{index}].job_id")
        checks.check_count(pair[1], f"pairs[{index}].token")


@dataclass(frozen=True, slots=True)
class TokenOp(JobOp[A]):
    """An operation on a job that names the token of its claim."""

    token: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_any_id(self.job_id)
        checks.check_count(self.token, "token")


@dataclass(frozen=True, slots=True)
class Complete(TokenOp[CompleteVerdict]):
    verb: ClassVar[str] = "complete"


@dataclass(frozen=True, slots=True)
class CompleteMany(QueueOp[list[CompleteVerdict]]):
    verb: ClassVar[str] = "complete_many"
    pairs: Pairs

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        _check_pairs(self.pairs)


@dataclass(frozen=True, slots=True)
class Retry(TokenOp[RetryVerdict]):
    verb: ClassVar[str] = "retry"
    delay_ms: int
    max_attempts: int
    error: str

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_any_id(self.job_id)
        checks.check_count(self.token, "token")
        checks.check_duration_ms(self.delay_ms, "delay_ms", low=0)
        checks.check_count(self.max_attempts, "max_attempts")
        checks.check_error(self.error)


@dataclass(frozen=True, slots=True)
class Release(TokenOp[ReleaseVerdict]):
    verb: ClassVar[str] = "release"


@dataclass(frozen=True, slots=True)
class Extend(TokenOp[ExtendVerdict]):
    verb: ClassVar[str] = "extend"
    lease_ms: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_any_id(self.job_id)
        checks.check_count(self.token, "token")
        checks.check_duration_ms(self.lease_ms, "lease_ms", low=1)


@dataclass(frozen=True, slots=True)
class ExtendMany(QueueOp[list[ExtendVerdict]]):
    verb: ClassVar[str] = "extend_many"
    pairs: Pairs
    lease_ms: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        _check_pairs(self.pairs)
        checks.check_duration_ms(self.lease_ms, "lease_ms", low=1)


# --- sweeps -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Promote(QueueOp[Swept]):
    verb: ClassVar[str] = "promote"
    limit: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_count(self.limit, "limit", high=checks.MAX_CLAIM)


@dataclass(frozen=True, slots=True)
class Reap(QueueOp[Swept]):
    verb: ClassVar[str] = "reap"
    limit: int
    max_attempts: int | None = None

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_count(self.limit, "limit", high=checks.MAX_CLAIM)
        if self.max_attempts is not None:
            checks.check_count(self.max_attempts, "max_attempts")


@dataclass(frozen=True, slots=True)
class ReapGroup(QueueOp[Swept]):
    verb: ClassVar[str] = "reap_group"
    group: str
    limit: int
    max_attempts: int | None = None

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_group(self.group)
        checks.check_count(self.limit, "limit", high=checks.MAX_CLAIM)
        if self.max_attempts is not None:
            checks.check_count(self.max_attempts, "max_attempts")


# --- operators --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Pause(GroupOp[bool]):
    verb: ClassVar[str] = "pause"


@dataclass(frozen=True, slots=True)
class Resume(GroupOp[bool]):
    verb: ClassVar[str] = "resume"


@dataclass(frozen=True, slots=True)
class Limit(GroupOp[bool]):
    verb: ClassVar[str] = "limit"
    n: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_group(self.group)
        checks.check_count(self.n, "n")


@dataclass(frozen=True, slots=True)
class Unlimit(GroupOp[bool]):
    verb: ClassVar[str] = "unlimit"


@dataclass(frozen=True, slots=True)
class Weight(GroupOp[bool]):
    verb: ClassVar[str] = "weight"
    n: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_group(self.group)
        checks.check_count(self.n, "n", high=checks.MAX_CLAIM)


@dataclass(frozen=True, slots=True)
class Unweight(GroupOp[bool]):
    verb: ClassVar[str] = "unweight"


@dataclass(frozen=True, slots=True)
class PauseQueue(QueueOp[bool]):
    verb: ClassVar[str] = "pause_queue"


@dataclass(frozen=True, slots=True)
class ResumeQueue(QueueOp[bool]):
    verb: ClassVar[str] = "resume_queue"


@dataclass(frozen=True, slots=True)
class Reassign(JobOp[ReassignVerdict]):
    verb: ClassVar[str] = "reassign"
    group: str

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_any_id(self.job_id)
        checks.check_group(self.group)


@dataclass(frozen=True, slots=True)
class Drain(GroupOp[int]):
    verb: ClassVar[str] = "drain"


@dataclass(frozen=True, slots=True)
class Remove(JobOp[RemoveVerdict]):
    verb: ClassVar[str] = "remove"
    force: bool = False

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_any_id(self.job_id)
        checks.check_flag(self.force, "force")


@dataclass(frozen=True, slots=True)
class Reprocess(JobOp[ReprocessVerdict]):
    verb: ClassVar[str] = "reprocess"


# --- waking -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Park(QueueOp[bool]):
    verb: ClassVar[str] = "park"
    timeout_ms: int

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_duration_ms(self.timeout_ms, "timeout_ms", low=0)


@dataclass(frozen=True, slots=True)
class Wake(QueueOp[bool]):
    verb: ClassVar[str] = "wake"


@dataclass(frozen=True, slots=True)
class NextDue(QueueOp[int | None]):
    verb: ClassVar[str] = "next_due"
    reads: ClassVar[bool] = True


# --- reads ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReadJob(JobOp[JobRecord | None]):
    verb: ClassVar[str] = "job"
    reads: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Depth(GroupOp[int]):
    verb: ClassVar[str] = "depth"
    reads: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Depths(QueueOp[dict[str, int]]):
    verb: ClassVar[str] = "depths"
    reads: ClassVar[bool] = True
    groups: tuple[str, ...]

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        for index, group in enumerate(self.groups):
            checks.check_group(group, f"groups[{index}]")


@dataclass(frozen=True, slots=True)
class ReadStats(QueueOp[Stats]):
    verb: ClassVar[str] = "stats"
    reads: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PageOp(QueueOp[A]):
    """A paged read."""

    reads: ClassVar[bool] = True
    cursor: str | None = None
    limit: int = 100

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_cursor(self.cursor)
        checks.check_count(self.limit, "limit", high=checks.MAX_CLAIM)


@dataclass(frozen=True, slots=True)
class Lanes(PageOp[Page[Lane]]):
    verb: ClassVar[str] = "lanes"


@dataclass(frozen=True, slots=True)
class Ring(PageOp[Page[str]]):
    verb: ClassVar[str] = "ring"


@dataclass(frozen=True, slots=True)
class DeadJobs(PageOp[Page[JobRecord]]):
    verb: ClassVar[str] = "dead_jobs"


@dataclass(frozen=True, slots=True)
class Configuration(PageOp[Page[LaneSettings]]):
    verb: ClassVar[str] = "configuration"


@dataclass(frozen=True, slots=True)
class Browse(QueueOp[Page[JobRecord]]):
    verb: ClassVar[str] = "browse"
    reads: ClassVar[bool] = True
    state: JobState
    cursor: str | None = None
    limit: int = 100

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        if not isinstance(self.state, str) or self.state not in list(JobState):
            raise InvalidArgument(
                "state",
                self.state,
                "state is one of pending, active, scheduled, dead",
                "Pass a JobState or its text",
            )
        object.__setattr__(self, "state", JobState(self.state))
        checks.check_cursor(self.cursor)
        checks.check_count(self.limit, "limit", high=checks.MAX_CLAIM)


@dataclass(frozen=True, slots=True)
class Explain(QueueOp[Explanation]):
    verb: ClassVar[str] = "explain"
    reads: ClassVar[bool] = True
    job_id: str | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        if (self.job_id is None) == (self.group is None):
            raise InvalidArgument(
                "job_id",
                self.job_id,
                "explain takes exactly one of job_id and group",
                "Name the job, or the group of the lane",
            )
        if self.job_id is not None:
            checks.check_any_id(self.job_id)
        if self.group is not None:
            checks.check_group(self.group)


@dataclass(frozen=True, slots=True)
class Check(Op[ServerInfo]):
    verb: ClassVar[str] = "check"
    reads: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Snapshot(QueueOp[QueueSnapshot]):
    verb: ClassVar[str] = "snapshot"
    reads: ClassVar[bool] = True
    max_jobs: int = 10_000

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_count(self.max_jobs, "max_jobs", high=checks.MAX_SNAPSHOT_JOBS)


@dataclass(frozen=True, slots=True)
class Fsck(QueueOp[list[Breach]]):
    verb: ClassVar[str] = "fsck"
    repair: bool = False

    def __post_init__(self) -> None:
        checks.check_queue(self.queue)
        checks.check_flag(self.repair, "repair")
