"""The async Protocols: `protocol`, with `await`. The meaning of each verb is written there, once."""

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
    "AsyncBackend",
    "AsyncBulk",
    "AsyncFullBackend",
    "AsyncInsight",
    "AsyncLaneControl",
    "AsyncQueuePause",
    "AsyncRepair",
    "AsyncSurgery",
    "AsyncWake",
    "AsyncWeights",
]


@runtime_checkable
class AsyncBackend(Protocol):
    """`Backend`, awaited."""

    async def enqueue(
        self,
        queue: str,
        group: str,
        payload: bytes,
        *,
        job_id: str | None = None,
        delay_ms: int = 0,
        run_at_ms: int | None = None,
    ) -> Enqueued: ...

    async def claim(self, queue: str, lease_ms: int) -> Job | Empty: ...

    async def complete(self, queue: str, job_id: str, token: int) -> CompleteVerdict: ...

    async def retry(
        self,
        queue: str,
        job_id: str,
        token: int,
        *,
        delay_ms: int,
        max_attempts: int,
        error: str,
    ) -> RetryVerdict: ...

    async def release(self, queue: str, job_id: str, token: int) -> ReleaseVerdict: ...

    async def extend(self, queue: str, job_id: str, token: int, lease_ms: int) -> ExtendVerdict: ...

    async def promote(self, queue: str, limit: int) -> Swept: ...

    async def reap(self, queue: str, limit: int, *, max_attempts: int | None = None) -> Swept: ...

    async def job(self, queue: str, job_id: str) -> JobRecord | None: ...

    async def depth(self, queue: str, group: str) -> int: ...

    async def snapshot(self, queue: str, *, max_jobs: int = 10_000) -> QueueSnapshot: ...

    async def check(self) -> ServerInfo: ...

    async def close(self) -> None: ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


@runtime_checkable
class AsyncBulk(Protocol):
    """`Bulk`, awaited."""

    async def enqueue_many(self, queue: str, items: Iterable[NewJob]) -> list[Enqueued]:
        """Admit many; answers in input order."""
        ...

    async def claim_many(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        """Turns of one job each until `n` (1…1,000) are served or the ring is empty."""
        ...

    async def bclaim(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        """One turn for up to `n` (1…1,000) jobs of a single group."""
        ...

    async def complete_many(
        self, queue: str, pairs: Iterable[tuple[str, int]]
    ) -> list[CompleteVerdict]: ...

    async def extend_many(
        self, queue: str, pairs: Iterable[tuple[str, int]], lease_ms: int
    ) -> list[ExtendVerdict]: ...


@runtime_checkable
class AsyncWeights(Protocol):
    """`Weights`, awaited."""

    async def weight(self, queue: str, group: str, n: int) -> bool: ...

    async def unweight(self, queue: str, group: str) -> bool: ...

    async def wclaim(self, queue: str, lease_ms: int) -> list[Job] | Empty: ...


@runtime_checkable
class AsyncLaneControl(Protocol):
    """`LaneControl`, awaited."""

    async def pause(self, queue: str, group: str) -> bool: ...

    async def resume(self, queue: str, group: str) -> bool: ...

    async def limit(self, queue: str, group: str, n: int) -> bool: ...

    async def unlimit(self, queue: str, group: str) -> bool: ...


@runtime_checkable
class AsyncQueuePause(Protocol):
    """`QueuePause`, awaited."""

    async def pause_queue(self, queue: str) -> bool: ...

    async def resume_queue(self, queue: str) -> bool: ...


@runtime_checkable
class AsyncSurgery(Protocol):
    """`Surgery`, awaited."""

    async def reassign(self, queue: str, job_id: str, group: str) -> ReassignVerdict: ...

    async def drain(self, queue: str, group: str) -> int: ...

    async def remove(self, queue: str, job_id: str, *, force: bool = False) -> RemoveVerdict: ...

    async def reprocess(self, queue: str, job_id: str) -> ReprocessVerdict: ...

    async def reap_group(
        self, queue: str, group: str, limit: int, *, max_attempts: int | None = None
    ) -> Swept: ...


@runtime_checkable
class AsyncWake(Protocol):
    """`Wake`, awaited."""

    async def park(self, queue: str, timeout_ms: int) -> bool: ...

    async def wake(self, queue: str) -> bool: ...

    async def next_due(self, queue: str) -> int | None: ...


@runtime_checkable
class AsyncInsight(Protocol):
    """`Insight`, awaited."""

    async def depths(self, queue: str, groups: Sequence[str]) -> dict[str, int]: ...

    async def stats(self, queue: str) -> Stats: ...

    async def lanes(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[Lane]: ...

    async def ring(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[str]: ...

    async def dead_jobs(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]: ...

    async def browse(
        self, queue: str, state: JobState, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]: ...

    async def configuration(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[LaneSettings]: ...

    async def explain(
        self, queue: str, *, job_id: str | None = None, group: str | None = None
    ) -> Explanation: ...


@runtime_checkable
class AsyncRepair(Protocol):
    """`Repair`, awaited."""

    async def fsck(self, queue: str, repair: bool = False) -> list[Breach]: ...


@runtime_checkable
class AsyncFullBackend(
    AsyncBackend,
    AsyncBulk,
    AsyncWeights,
    AsyncLaneControl,
    AsyncQueuePause,
    AsyncSurgery,
    AsyncWake,
    AsyncInsight,
    AsyncRepair,
    Protocol,
):
    """`FullBackend`, awaited."""
