"""Admission, claims, settling and sweeps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from .. import checks
from ..errors import InvalidArgument
from ..values import (
    CompleteVerdict,
    Empty,
    Enqueued,
    ExtendVerdict,
    Job,
    NewJob,
    ReleaseVerdict,
    RetryVerdict,
    Swept,
)
from .base import A, JobOp, QueueOp

Pairs = tuple[tuple[str, int], ...]


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
