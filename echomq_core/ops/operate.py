"""What operators do; waking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..values import ReassignVerdict, RemoveVerdict, ReprocessVerdict
from .base import GroupOp, JobOp, QueueOp


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
