"""Reads, checks and repair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..errors import InvalidArgument
from ..values import (
    Breach,
    Explanation,
    JobRecord,
    JobState,
    Lane,
    LaneSettings,
    Page,
    QueueSnapshot,
    ServerInfo,
    Stats,
)
from .base import A, GroupOp, JobOp, Op, QueueOp


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
