"""What every operation is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

from .. import checks

A = TypeVar("A")


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
