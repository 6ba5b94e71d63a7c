"""`verbs`, awaited."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from types import TracebackType
from typing import Self, TypeVar

from . import checks, ops
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

__all__ = ["AsyncVerbs"]

A = TypeVar("A")


class AsyncVerbs:
    """All verbs of `AsyncFullBackend` over one method, `_perform(op) -> answer`."""

    @abstractmethod
    async def _perform(self, op: ops.Op[A]) -> A:
        """Carry out one checked operation."""

    @abstractmethod
    async def close(self) -> None:
        """Close what this backend opened; idempotent."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def enqueue(
        self,
        queue: str,
        group: str,
        payload: bytes,
        *,
        job_id: str | None = None,
        delay_ms: int = 0,
        run_at_ms: int | None = None,
    ) -> Enqueued:
        return await self._perform(ops.Enqueue(queue, group, payload, job_id, delay_ms, run_at_ms))

    async def claim(self, queue: str, lease_ms: int) -> Job | Empty:
        return await self._perform(ops.Claim(queue, lease_ms))

    async def complete(self, queue: str, job_id: str, token: int) -> CompleteVerdict:
        return await self._perform(ops.Complete(queue, job_id, token))

    async def retry(
        self,
        queue: str,
        job_id: str,
        token: int,
        *,
        delay_ms: int,
        max_attempts: int,
        error: str,
    ) -> RetryVerdict:
        return await self._perform(ops.Retry(queue, job_id, token, delay_ms, max_attempts, error))

    async def release(self, queue: str, job_id: str, token: int) -> ReleaseVerdict:
        return await self._perform(ops.Release(queue, job_id, token))

    async def extend(self, queue: str, job_id: str, token: int, lease_ms: int) -> ExtendVerdict:
        return await self._perform(ops.Extend(queue, job_id, token, lease_ms))

    async def promote(self, queue: str, limit: int) -> Swept:
        return await self._perform(ops.Promote(queue, limit))

    async def reap(self, queue: str, limit: int, *, max_attempts: int | None = None) -> Swept:
        return await self._perform(ops.Reap(queue, limit, max_attempts))

    async def job(self, queue: str, job_id: str) -> JobRecord | None:
        return await self._perform(ops.ReadJob(queue, job_id))

    async def depth(self, queue: str, group: str) -> int:
        return await self._perform(ops.Depth(queue, group))

    async def snapshot(self, queue: str, *, max_jobs: int = 10_000) -> QueueSnapshot:
        return await self._perform(ops.Snapshot(queue, max_jobs))

    async def check(self) -> ServerInfo:
        return await self._perform(ops.Check())

    async def enqueue_many(self, queue: str, items: Iterable[NewJob]) -> list[Enqueued]:
        return await self._perform(ops.EnqueueMany(queue, checks.collected(items, "items")))

    async def claim_many(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        return await self._perform(ops.ClaimMany(queue, lease_ms, n))

    async def bclaim(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        return await self._perform(ops.BClaim(queue, lease_ms, n))

    async def complete_many(
        self, queue: str, pairs: Iterable[tuple[str, int]]
    ) -> list[CompleteVerdict]:
        return await self._perform(ops.CompleteMany(queue, checks.collected(pairs, "pairs")))

    async def extend_many(
        self, queue: str, pairs: Iterable[tuple[str, int]], lease_ms: int
    ) -> list[ExtendVerdict]:
        return await self._perform(
            ops.ExtendMany(queue, checks.collected(pairs, "pairs"), lease_ms)
        )

    async def weight(self, queue: str, group: str, n: int) -> bool:
        return await self._perform(ops.Weight(queue, group, n))

    async def unweight(self, queue: str, group: str) -> bool:
        return await self._perform(ops.Unweight(queue, group))

    async def wclaim(self, queue: str, lease_ms: int) -> list[Job] | Empty:
        return await self._perform(ops.WClaim(queue, lease_ms))

    async def pause(self, queue: str, group: str) -> bool:
        return await self._perform(ops.Pause(queue, group))

    async def resume(self, queue: str, group: str) -> bool:
        return await self._perform(ops.Resume(queue, group))

    async def limit(self, queue: str, group: str, n: int) -> bool:
        return await self._perform(ops.Limit(queue, group, n))

    async def unlimit(self, queue: str, group: str) -> bool:
        return await self._perform(ops.Unlimit(queue, group))

    async def pause_queue(self, queue: str) -> bool:
        return await self._perform(ops.PauseQueue(queue))

    async def resume_queue(self, queue: str) -> bool:
        return await self._perform(ops.ResumeQueue(queue))

    async def reassign(self, queue: str, job_id: str, group: str) -> ReassignVerdict:
        return await self._perform(ops.Reassign(queue, job_id, group))

    async def drain(self, queue: str, group: str) -> int:
        return await self._perform(ops.Drain(queue, group))

    async def remove(self, queue: str, job_id: str, *, force: bool = False) -> RemoveVerdict:
        return await self._perform(ops.Remove(queue, job_id, force))

    async def reprocess(self, queue: str, job_id: str) -> ReprocessVerdict:
        return await self._perform(ops.Reprocess(queue, job_id))

    async def reap_group(
        self, queue: str, group: str, limit: int, *, max_attempts: int | None = None
    ) -> Swept:
        return await self._perform(ops.ReapGroup(queue, group, limit, max_attempts))

    async def park(self, queue: str, timeout_ms: int) -> bool:
        return await self._perform(ops.Park(queue, timeout_ms))

    async def wake(self, queue: str) -> bool:
        return await self._perform(ops.Wake(queue))

    async def next_due(self, queue: str) -> int | None:
        return await self._perform(ops.NextDue(queue))

    async def depths(self, queue: str, groups: Sequence[str]) -> dict[str, int]:
        return await self._perform(ops.Depths(queue, checks.collected(groups, "groups")))

    async def stats(self, queue: str) -> Stats:
        return await self._perform(ops.ReadStats(queue))

    async def lanes(self, queue: str, *, cursor: str | None = None, limit: int = 100) -> Page[Lane]:
        return await self._perform(ops.Lanes(queue, cursor, limit))

    async def ring(self, queue: str, *, cursor: str | None = None, limit: int = 100) -> Page[str]:
        return await self._perform(ops.Ring(queue, cursor, limit))

    async def dead_jobs(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]:
        return await self._perform(ops.DeadJobs(queue, cursor, limit))

    async def browse(
        self, queue: str, state: JobState, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]:
        return await self._perform(ops.Browse(queue, state, cursor, limit))

    async def configuration(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[LaneSettings]:
        return await self._perform(ops.Configuration(queue, cursor, limit))

    async def explain(
        self, queue: str, *, job_id: str | None = None, group: str | None = None
    ) -> Explanation:
        return await self._perform(ops.Explain(queue, job_id, group))

    async def fsck(self, queue: str, repair: bool = False) -> list[Breach]:
        return await self._perform(ops.Fsck(queue, repair))
