"""Opening, sharing and closing; clocks; ids that are minted."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator

import pytest
from echomq_memory import (
    AsyncMemoryBackend,
    ManualClock,
    MemoryBackend,
    Store,
    SystemClock,
    provider,
)

from echomq_core import (
    AsyncFullBackend,
    Enqueued,
    FullBackend,
    InvalidArgument,
    NewJob,
    NotApplied,
    encode_id,
    is_job_id,
    minted_at_ms,
)
from echomq_core.unsupported import all_verbs

QUEUE = "q"
A, B, C, D = (encode_id("JOB", n) for n in range(1, 5))


def _open(url: str) -> FullBackend:
    assert provider.open is not None
    backend = provider.open(url)
    assert isinstance(backend, MemoryBackend)
    return backend


def test_both_faces_have_every_verb() -> None:
    assert isinstance(MemoryBackend(), FullBackend)
    assert isinstance(AsyncMemoryBackend(), AsyncFullBackend)


@pytest.mark.parametrize("url", ["memory://", "MEMORY://"])
def test_a_url_without_a_name_opens_a_store_of_its_own(url: str) -> None:
    with _open(url) as first, _open(url) as second:
        first.enqueue(QUEUE, "g", b"")
        assert second.depth(QUEUE, "g") == 0


def test_a_named_store_is_shared_by_both_faces_until_the_last_one_closes() -> None:
    async def depth_by_the_async_face() -> int:
        assert provider.open_async is not None
        async with provider.open_async("memory://shared-1") as backend:
            return await backend.depth(QUEUE, "g")

    first, second = _open("memory://shared-1"), _open("memory://shared-1")
    first.enqueue(QUEUE, "g", b"")
    assert asyncio.run(depth_by_the_async_face()) == 1
    first.close()
    first.close()
    assert second.depth(QUEUE, "g") == 1
    with _open("memory://Shared-1") as another:
        assert another.depth(QUEUE, "g") == 0
    second.close()
    with _open("memory://shared-1") as anew:
        assert anew.depth(QUEUE, "g") == 0


@pytest.mark.parametrize(
    "url",
    [
        "memory:///",
        "memory://a/b",
        "memory://a?x=1",
        "memory://a#b",
        "memory://u@a",
        "memory://a:1",
        "memory://a b",
        "memory://" + "a" * 129,
    ],
)
def test_anything_else_in_a_url_is_refused(url: str) -> None:
    with pytest.raises(InvalidArgument, match="memory://NAME"):
        _open(url)


def test_a_clock_and_a_store_are_refused_together() -> None:
    with pytest.raises(ValueError, match="not both"):
        MemoryBackend(ManualClock(), store=Store())


CALLS: dict[str, tuple[object, ...]] = {
    "enqueue": (QUEUE, "g", b""),
    "claim": (QUEUE, 1),
    "complete": (QUEUE, A, 1),
    "park": (QUEUE, 60_000),
    "check": (),
    "snapshot": (QUEUE,),
    "enqueue_many": (QUEUE, []),
    "fsck": (QUEUE,),
}


@pytest.mark.parametrize("verb", CALLS)
def test_a_closed_backend_answers_not_applied(verb: str) -> None:
    assert verb in all_verbs()
    sync = MemoryBackend()
    sync.close()
    sync.close()
    with pytest.raises(NotApplied, match=f"{verb}: .*closed"):
        getattr(sync, verb)(*CALLS[verb])

    async def closed_async() -> None:
        backend = AsyncMemoryBackend()
        await backend.close()
        with pytest.raises(NotApplied, match=f"{verb}: .*closed"):
            await getattr(backend, verb)(*CALLS[verb])

    asyncio.run(closed_async())


def test_the_async_face_answers_as_the_sync_one() -> None:
    async def work() -> None:
        async with AsyncMemoryBackend(ManualClock(start_ms=5)) as backend:
            assert await backend.enqueue(QUEUE, "g", b"x", job_id=A) == Enqueued(A, False)
            job = await backend.claim(QUEUE, 10)
            with MemoryBackend.sharing(backend) as sync:
                assert sync.snapshot(QUEUE) == await backend.snapshot(QUEUE)
                assert sync.check() == await backend.check()
            assert job
            assert job.deadline_ms == 15

    asyncio.run(work())


def test_check_names_a_store_in_this_process_that_keeps_nothing() -> None:
    info = MemoryBackend().check()
    assert (info.product, info.topology, info.scripts) == ("memory", "process", True)
    assert (info.eviction, info.persistence, len(info.warnings)) == ("noeviction", "none", 1)


# --- clocks -----------------------------------------------------------------------------------


def test_a_manual_clock_moves_only_by_advance() -> None:
    clock = ManualClock(start_ms=7)
    assert clock.now_ms() == 7
    clock.advance(0)
    clock.advance(3)
    assert clock.now_ms() == 10
    with pytest.raises(InvalidArgument, match="ms"):
        clock.advance(-1)


def test_the_system_clock_is_unix_time_in_ms() -> None:
    before = int(time.time() * 1_000)
    assert before <= SystemClock().now_ms() <= int(time.time() * 1_000) + 1


# --- minting ----------------------------------------------------------------------------------


def test_ids_are_minted_from_the_real_clock_under_a_manual_one() -> None:
    before = int(time.time() * 1_000)
    with MemoryBackend(ManualClock(start_ms=0)) as backend:
        minted = backend.enqueue(QUEUE, "g", b"").id
    assert is_job_id(minted)
    minted_ms = minted_at_ms(minted)
    assert minted_ms is not None
    # A burst of ids elsewhere in this process may have borrowed from the ms to come.
    assert before <= minted_ms <= before + 60_000


def _minting(*job_ids: str) -> tuple[MemoryBackend, Iterator[str]]:
    left = iter(job_ids)
    return MemoryBackend(store=Store(mint=lambda: next(left))), left


def test_keys_4_a_minted_id_that_is_taken_is_minted_again() -> None:
    backend, left = _minting(A, A, B)
    assert backend.enqueue(QUEUE, "g", b"1") == Enqueued(A, duplicate=False)
    assert backend.enqueue(QUEUE, "h", b"2") == Enqueued(B, duplicate=False)
    assert list(left) == []
    assert backend.depths(QUEUE, ["g", "h"]) == {"g": 1, "h": 1}


def test_keys_4_minting_in_bulk_passes_over_ids_in_the_queue_and_in_the_call() -> None:
    backend, _ = _minting(A, B, C, C, D)
    backend.enqueue(QUEUE, "g", b"", job_id=A)
    answers = backend.enqueue_many(
        QUEUE, [NewJob("g", b""), NewJob("g", b"", job_id=B), NewJob("g", b"")]
    )
    assert answers == [Enqueued(C, False), Enqueued(B, False), Enqueued(D, False)]


def test_a_caller_s_own_id_that_is_taken_is_answered_duplicate() -> None:
    backend, _ = _minting()
    answers = backend.enqueue_many(QUEUE, [NewJob("g", b"", job_id=A)] * 2)
    assert answers == [Enqueued(A, False), Enqueued(A, True)]


def test_reads_make_no_queue_and_lose_row_says_whether_there_was_one() -> None:
    with MemoryBackend() as backend:
        assert backend.stats("nowhere").pending == 0
        assert backend.store._queues == {}
        assert not backend.store.lose_row("nowhere", A)
        backend.enqueue(QUEUE, "g", b"", job_id=A)
        assert backend.store.lose_row(QUEUE, A)
        assert not backend.store.lose_row(QUEUE, A)
