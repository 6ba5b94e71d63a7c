"""Every verb as a method that makes its checked operation and hands it to `_perform`.

The faces of our backends inherit this so that 40 signatures exist once; a backend of yours may
too, or may implement the Protocols by hand.
"""

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

__all__ = ["SyncVerbs"]

A = TypeVar("A")


class SyncVerbs:
    """All verbs of `FullBackend` over one method, `_perform(op) -> answer`."""

    @abstractmethod
    def _perform(self, op: ops.Op[A]) -> A:
        """Carry out one checked operation."""

    @abstractmethod
    def close(self) -> None:
        """Close what this backend opened; idempotent."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

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
        return self._perform(ops.Enqueue(queue, group, payload, job_id, delay_ms, run_at_ms))

    def claim(self, queue: str, lease_ms: int) -> Job | Empty:
        return self._perform(ops.Claim(queue, lease_ms))

    def complete(self, queue: str, job_id: str, token: int) -> CompleteVerdict:
        return self._perform(ops.Complete(queue, job_id, token))

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
        return self._perform(ops.Retry(queue, job_id, token, delay_ms, max_attempts, error))

    def release(self, queue: str, job_id: str, token: int) -> ReleaseVerdict:
        return self._perform(ops.Release(queue, job_id, token))

    def extend(self, queue: str, job_id: str, token: int, lease_ms: int) -> ExtendVerdict:
        return self._perform(ops.Extend(queue, job_id, token, lease_ms))

    def promote(self, queue: str, limit: int) -> Swept:
        return self._perform(ops.Promote(queue, limit))

    def reap(self, queue: str, limit: int, *, max_attempts: int | None = None) -> Swept:
        return self._perform(ops.Reap(queue, limit, max_attempts))

    def job(self, queue: str, job_id: str) -> JobRecord | None:
        return self._perform(ops.ReadJob(queue, job_id))

    def depth(self, queue: str, group: str) -> int:
        return self._perform(ops.Depth(queue, group))

    def snapshot(self, queue: str, *, max_jobs: int = 10_000) -> QueueSnapshot:
        return self._perform(ops.Snapshot(queue, max_jobs))

    def check(self) -> ServerInfo:
        return self._perform(ops.Check())

    def enqueue_many(self, queue: str, items: Iterable[NewJob]) -> list[Enqueued]:
        return self._perform(ops.EnqueueMany(queue, checks.collected(items, "items")))

    def claim_many(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        return self._perform(ops.ClaimMany(queue, lease_ms, n))

    def bclaim(self, queue: str, lease_ms: int, n: int) -> list[Job] | Empty:
        return self._perform(ops.BClaim(queue, lease_ms, n))

    def complete_many(self, queue: str, pairs: Iterable[tuple[str, int]]) -> list[CompleteVerdict]:
        return self._perform(ops.CompleteMany(queue, checks.collected(pairs, "pairs")))

    def extend_many(
        self, queue: str, pairs: Iterable[tuple[str, int]], lease_ms: int
    ) -> list[ExtendVerdict]:
        return self._perform(ops.ExtendMany(queue, checks.collected(pairs, "pairs"), lease_ms))

    def weight(self, queue: str, group: str, n: int) -> bool:
        return self._perform(ops.Weight(queue, group, n))

    def unweight(self, queue: str, group: str) -> bool:
        return self._perform(ops.Unweight(queue, group))

    def wclaim(self, queue: str, lease_ms: int) -> list[Job] | Empty:
        return self._perform(ops.WClaim(queue, lease_ms))

    def pause(self, queue: str, group: str) -> bool:
        return self._perform(ops.Pause(queue, group))

    def resume(self, queue: str, group: str) -> bool:
        return self._perform(ops.Resume(queue, group))

    def limit(self, queue: str, group: str, n: int) -> bool:
        return self._perform(ops.Limit(queue, group, n))

    def unlimit(self, queue: str, group: str) -> bool:
        return self._perform(ops.Unlimit(queue, group))

    def pause_queue(self, queue: str) -> bool:
        return self._perform(ops.PauseQueue(queue))

    def resume_queue(self, queue: str) -> bool:
        return self._perform(ops.ResumeQueue(queue))

    def reassign(self, queue: str, job_id: str, group: str) -> ReassignVerdict:
        return self._perform(ops.Reassign(queue, job_id, group))

    def drain(self, queue: str, group: str) -> int:
        return self._perform(ops.Drain(queue, group))

    def remove(self, queue: str, job_id: str, *, force: bool = False) -> RemoveVerdict:
        return self._perform(ops.Remove(queue, job_id, force))

    def reprocess(self, queue: str, job_id: str) -> ReprocessVerdict:
        return self._perform(ops.Reprocess(queue, job_id))

    def reap_group(
        self, queue: str, group: str, limit: int, *, max_attempts: int | None = None
    ) -> Swept:
        return self._perform(ops.ReapGroup(queue, group, limit, max_attempts))

    def park(self, queue: str, timeout_ms: int) -> bool:
        return self._perform(ops.Park(queue, timeout_ms))

    def wake(self, queue: str) -> bool:
        return self._perform(ops.Wake(queue))

    def next_due(self, queue: str) -> int | None:
        return self._perform(ops.NextDue(queue))

    def depths(self, queue: str, groups: Sequence[str]) -> dict[str, int]:
        return self._perform(ops.Depths(queue, checks.collected(groups, "groups")))

    def stats(self, queue: str) -> Stats:
        return self._perform(ops.ReadStats(queue))

    def lanes(self, queue: str, *, cursor: str | None = None, limit: int = 100) -> Page[Lane]:
        return self._perform(ops.Lanes(queue, cursor, limit))

    def ring(self, queue: str, *, cursor: str | None = None, limit: int = 100) -> Page[str]:
        return self._perform(ops.Ring(queue, cursor, limit))

    def dead_jobs(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]:
        return self._perform(ops.DeadJobs(queue, cursor, limit))

    def browse(
        self, queue: str, state: JobState, *, cursor: str | None = None, limit: int = 100
    ) -> Page[JobRecord]:
        return self._perform(ops.Browse(queue, state, cursor, limit))

    def configuration(
        self, queue: str, *, cursor: str | None = None, limit: int = 100
    ) -> Page[LaneSettings]:
        return self._perform(ops.Configuration(queue, cursor, limit))

    def explain(
        self, queue: str, *, job_id: str | None = None, group: str | None = None
    ) -> Explanation:
        return self._perform(ops.Explain(queue, job_id, group))

    def fsck(self, queue: str, repair: bool = False) -> list[Breach]:
        return self._perform(ops.Fsck(queue, repair))
