"""Pins the public types. Never run: a stranger's mypy --strict reads it against the installed wheel."""

from __future__ import annotations

from typing import assert_type

from echomq_memory import AsyncMemoryBackend, ManualClock, MemoryBackend
from echomq_valkey import AsyncValkeyBackend, ValkeyBackend

from echomq_core import (
    AsyncBackend,
    AsyncFullBackend,
    Backend,
    Breach,
    Bulk,
    CompleteVerdict,
    Empty,
    EmptyReason,
    Enqueued,
    Explanation,
    FullBackend,
    Insight,
    Job,
    JobRecord,
    Lane,
    NewJob,
    Page,
    QueueSnapshot,
    Repair,
    RetryVerdict,
    Stats,
    Swept,
    mint_job_id,
    open_async_backend,
    open_backend,
)


def urls() -> None:
    assert_type(open_backend("memory://"), FullBackend)
    assert_type(open_async_backend("valkey://localhost"), AsyncFullBackend)
    assert_type(ValkeyBackend.from_url("valkey://localhost", wire_version=None), ValkeyBackend)
    assert_type(mint_job_id(), str)


def every_reference_backend_is_full() -> tuple[FullBackend, FullBackend]:
    return MemoryBackend(clock=ManualClock(start_ms=0)), ValkeyBackend.from_url("unix:///s")


def and_async() -> tuple[AsyncFullBackend, AsyncFullBackend]:
    return AsyncMemoryBackend(), AsyncValkeyBackend.from_url("unix:///s")


def a_full_backend_has_each_feature(
    backend: FullBackend,
) -> tuple[Backend, Bulk, Insight, Repair]:
    return backend, backend, backend, backend


def producer(backend: Backend) -> None:
    assert_type(backend.enqueue("q", "g", b"payload", delay_ms=5), Enqueued)
    assert_type(backend.enqueue("q", "g", b"payload", job_id=mint_job_id()).duplicate, bool)


def consumer(backend: Backend) -> None:
    while job := backend.claim("q", 30_000):
        assert_type(job, Job)
        assert_type(job.payload, bytes)
        assert_type(job.token, int)
        assert_type(backend.complete("q", job.id, job.token), CompleteVerdict)


def reads_why_there_was_nothing(answer: Job | Empty) -> str:
    match answer:
        case Empty(reason=reason):
            assert_type(reason, EmptyReason)
            return reason
        case Job(group=group):
            return group


def settles(backend: FullBackend, job: Job) -> None:
    verdict = backend.retry("q", job.id, job.token, delay_ms=1, max_attempts=3, error="no")
    assert_type(verdict, RetryVerdict)
    assert_type(backend.reap("q", 100), Swept)
    assert_type(backend.complete_many("q", [(job.id, job.token)]), list[CompleteVerdict])
    assert_type(backend.enqueue_many("q", [NewJob("g", b"1")]), list[Enqueued])
    for served in backend.claim_many("q", 1_000, 10):
        assert_type(served, Job)


def reads(backend: FullBackend) -> None:
    assert_type(backend.job("q", "JOB00000000001"), JobRecord | None)
    assert_type(backend.depths("q", ["g"]), dict[str, int])
    assert_type(backend.stats("q"), Stats)
    assert_type(backend.lanes("q"), Page[Lane])
    assert_type(backend.snapshot("q"), QueueSnapshot)
    assert_type(backend.explain("q", group="g"), Explanation)
    assert_type(backend.fsck("q", repair=True), list[Breach])
    assert_type(backend.next_due("q"), int | None)


async def awaited(backend: AsyncBackend) -> None:
    job = await backend.claim("q", 30_000)
    if job:
        assert_type(job, Job)
        assert_type(await backend.complete("q", job.id, job.token), CompleteVerdict)
