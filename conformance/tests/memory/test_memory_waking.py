"""Parking threads and tasks: who is woken, when, and that no token is lost (WAKE-1, WAKE-2)."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from echomq_memory import AsyncMemoryBackend, ManualClock, MemoryBackend, Store

from echomq_core import Empty, EmptyReason, Job, NewJob, NotApplied, encode_id

QUEUE = "q"
LEASE = 60_000
LONG_MS = 60_000
BOUND_S = 20.0

T = TypeVar("T")


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + BOUND_S
    while not holds():
        assert time.monotonic() < end, f"not within {BOUND_S} s: {what}"
        threading.Event().wait(0.001)


async def _until_parked(store: Store, calls: int) -> None:
    async with asyncio.timeout(BOUND_S):
        while store.parked(QUEUE) < calls:  # noqa: ASYNC110  # a store has no event to await
            await asyncio.sleep(0)


def _run(work: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        return await asyncio.wait_for(work, BOUND_S)

    return asyncio.run(bounded())


def test_park_takes_a_token_that_is_there_at_once() -> None:
    with MemoryBackend() as backend:
        backend.enqueue(QUEUE, "g", b"")
        assert backend.park(QUEUE, LONG_MS)
        assert not backend.park(QUEUE, 0)


@pytest.mark.parametrize("timeout_ms", [0, 1, 20])
def test_park_ends_after_real_time_under_a_manual_clock(timeout_ms: int) -> None:
    async def parked() -> bool:
        async with AsyncMemoryBackend(ManualClock()) as backend:
            return await backend.park(QUEUE, timeout_ms)

    started = time.monotonic()
    with MemoryBackend(ManualClock()) as backend:
        assert not backend.park(QUEUE, timeout_ms)
        assert time.monotonic() - started >= timeout_ms / 1_000
        assert backend.store.parked(QUEUE) == 0
    assert not _run(parked())
    assert time.monotonic() - started < BOUND_S


def test_a_thread_is_woken_by_an_admission_of_another() -> None:
    with MemoryBackend() as backend, ThreadPoolExecutor() as pool:
        parked = pool.submit(backend.park, QUEUE, LONG_MS)
        _until(lambda: backend.store.parked(QUEUE) == 1, "parked")
        backend.enqueue(QUEUE, "g", b"")
        assert parked.result(BOUND_S)
        assert backend.stats(QUEUE).wakes == 0


def test_the_longest_parked_is_woken_first_and_one_token_wakes_one() -> None:
    with MemoryBackend() as backend, ThreadPoolExecutor() as pool:
        parked = []
        for calls in (1, 2):
            parked.append(pool.submit(backend.park, QUEUE, LONG_MS))
            _until(lambda calls=calls: backend.store.parked(QUEUE) == calls, "parked")  # type: ignore[misc]
        backend.enqueue(QUEUE, "g", b"")
        assert parked[0].result(BOUND_S)
        assert backend.store.parked(QUEUE) == 1
        assert not parked[1].done()
        assert backend.wake(QUEUE)
        assert parked[1].result(BOUND_S)


def test_parks_on_another_queue_are_left_alone() -> None:
    with MemoryBackend() as backend, ThreadPoolExecutor() as pool:
        other = pool.submit(backend.park, "other", LONG_MS)
        _until(lambda: backend.store.parked("other") == 1, "parked")
        backend.enqueue(QUEUE, "g", b"")
        assert backend.store.parked("other") == 1
        backend.enqueue("other", "g", b"")
        assert other.result(BOUND_S)


def test_wake_2_an_admission_between_an_empty_claim_and_the_park_is_not_lost() -> None:
    with MemoryBackend() as backend, ThreadPoolExecutor(1) as pool:
        for _ in range(1_000):
            assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
            admitted = pool.submit(backend.enqueue, QUEUE, "g", b"")
            assert backend.park(QUEUE, LONG_MS)
            admitted.result(BOUND_S)
            job = backend.claim(QUEUE, LEASE)
            assert isinstance(job, Job)
            backend.complete(QUEUE, job.id, job.token)


def test_hazard_15_a_hundred_parked_tasks_and_a_hundred_lanes_joined_at_once() -> None:
    async def work() -> set[str]:
        async with AsyncMemoryBackend() as backend:

            async def consume() -> str:
                assert await backend.park(QUEUE, LONG_MS)
                job = await backend.claim(QUEUE, LEASE)
                assert isinstance(job, Job)
                return job.group

            consumers = [asyncio.create_task(consume()) for _ in range(100)]
            await _until_parked(backend.store, 100)
            await backend.enqueue_many(QUEUE, [NewJob(f"g{n}", b"") for n in range(100)])
            return set(await asyncio.gather(*consumers))

    assert _run(work()) == {f"g{n}" for n in range(100)}


def test_hazard_15_a_hundred_parked_threads_and_one_lane_of_a_thousand_jobs() -> None:
    with MemoryBackend() as backend, ThreadPoolExecutor(100) as pool:

        def consume() -> int:
            served = 0
            while backend.park(QUEUE, LONG_MS):
                while job := backend.claim(QUEUE, LEASE):
                    backend.complete(QUEUE, job.id, job.token)
                    served += 1
                if backend.stats(QUEUE).completed == 1_000:
                    backend.resume_queue(QUEUE)
                    return served
            raise AssertionError("a consumer slept to its beat while work waited")

        consumers = [pool.submit(consume) for _ in range(100)]
        _until(lambda: backend.store.parked(QUEUE) == 100, "parked")
        backend.enqueue_many(QUEUE, [NewJob("g", b"")] * 1_000)
        _until(lambda: backend.stats(QUEUE).completed == 1_000, "all served")
        # Whoever found nothing and parked again is let go, one token at a time.
        while not all(consumer.done() for consumer in consumers):
            backend.pause_queue(QUEUE)
            backend.resume_queue(QUEUE)
        assert sum(consumer.result() for consumer in consumers) == 1_000


def test_a_parked_task_is_woken_from_a_thread_by_a_sync_backend() -> None:
    async def work() -> bool:
        async with AsyncMemoryBackend() as backend:
            parked = asyncio.create_task(backend.park(QUEUE, LONG_MS))
            await _until_parked(backend.store, 1)
            with MemoryBackend.sharing(backend) as sync:
                await asyncio.to_thread(sync.enqueue, QUEUE, "g", b"")
            return await parked

    assert _run(work())


@pytest.mark.parametrize("others", [0, 1])
def test_a_cancelled_park_does_not_take_its_token_with_it(others: int) -> None:
    """Granted and cancelled in one turn of the loop: to the next one parked, else back."""

    async def work() -> None:
        async with AsyncMemoryBackend() as backend:
            first = asyncio.create_task(backend.park(QUEUE, LONG_MS))
            await _until_parked(backend.store, 1)
            rest = [asyncio.create_task(backend.park(QUEUE, LONG_MS)) for _ in range(others)]
            await _until_parked(backend.store, 1 + others)
            with MemoryBackend.sharing(backend) as sync:
                sync.enqueue(QUEUE, "g", b"")
            first.cancel()
            with pytest.raises(asyncio.CancelledError) as cancelled:
                await first
            assert "park" in cancelled.value.__notes__[0]
            for other in rest:
                assert await other
            assert await backend.park(QUEUE, 0) is (others == 0)

    _run(work())


def test_a_park_cancelled_before_any_token_is_forgotten() -> None:
    async def work() -> None:
        async with AsyncMemoryBackend() as backend:
            parked = asyncio.create_task(backend.park(QUEUE, LONG_MS))
            await _until_parked(backend.store, 1)
            parked.cancel()
            with pytest.raises(asyncio.CancelledError):
                await parked
            assert backend.store.parked(QUEUE) == 0
            await backend.enqueue(QUEUE, "g", b"")
            assert await backend.park(QUEUE, 0)

    _run(work())


def test_a_token_passes_over_a_task_whose_loop_is_gone() -> None:
    backend = AsyncMemoryBackend()
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _loop, _context: None)
    abandoned = loop.create_task(backend.park(QUEUE, LONG_MS))
    loop.run_until_complete(_until_parked(backend.store, 1))
    loop.close()
    with MemoryBackend.sharing(backend) as sync:
        sync.enqueue(QUEUE, "g", b"")
        assert sync.park(QUEUE, 0)
    assert not abandoned.done()
    del abandoned
    gc.collect()


def test_cancellation_names_the_verb_and_did_not_apply_it() -> None:
    async def work() -> None:
        async with AsyncMemoryBackend() as backend:
            verb = asyncio.create_task(backend.enqueue(QUEUE, "g", b""))
            await asyncio.sleep(0)
            verb.cancel()
            with pytest.raises(asyncio.CancelledError) as cancelled:
                await verb
            assert "enqueue" in cancelled.value.__notes__[0]
            assert await backend.depth(QUEUE, "g") == 0

    _run(work())


def test_a_task_that_claims_without_end_lets_others_run() -> None:
    async def work() -> None:
        async with AsyncMemoryBackend() as backend:

            async def spin() -> None:
                while True:
                    await backend.claim(QUEUE, LEASE)

            spinning = asyncio.create_task(spin())
            for _ in range(10):
                await asyncio.sleep(0)
            spinning.cancel()
            with pytest.raises(asyncio.CancelledError):
                await spinning

    _run(work())


def test_closing_ends_parked_threads_of_that_backend_only() -> None:
    with ThreadPoolExecutor() as pool, MemoryBackend() as stays:
        closes = MemoryBackend.sharing(stays)
        ended = pool.submit(closes.park, QUEUE, LONG_MS)
        _until(lambda: stays.store.parked(QUEUE) == 1, "parked")
        goes_on = pool.submit(stays.park, QUEUE, LONG_MS)
        _until(lambda: stays.store.parked(QUEUE) == 2, "both parked")
        closes.close()
        with pytest.raises(NotApplied, match="park"):
            ended.result(BOUND_S)
        stays.enqueue(QUEUE, "g", b"")
        assert goes_on.result(BOUND_S)


def test_closing_ends_parked_tasks() -> None:
    async def work() -> None:
        backend = AsyncMemoryBackend()
        parked = asyncio.create_task(backend.park(QUEUE, LONG_MS))
        await _until_parked(backend.store, 1)
        await backend.close()
        with pytest.raises(NotApplied, match="park"):
            await parked

    _run(work())


def test_practice_ten_claimers_at_a_limit_of_one_never_run_two_at_once() -> None:
    with MemoryBackend() as backend, ThreadPoolExecutor(10) as pool:
        backend.limit(QUEUE, "g", 1)
        backend.enqueue_many(
            QUEUE, [NewJob("g", b"", job_id=encode_id("JOB", n)) for n in range(100)]
        )
        running, peak, served = [0], [0], list[str]()
        watch = threading.Lock()

        def consume() -> None:
            while backend.stats(QUEUE).completed < 100:
                job = backend.claim(QUEUE, LEASE)
                if not isinstance(job, Job):
                    continue
                with watch:
                    running[0] += 1
                    peak[0] = max(peak[0], running[0])
                    served.append(job.id)
                with watch:
                    running[0] -= 1
                backend.complete(QUEUE, job.id, job.token)

        for consumer in [pool.submit(consume) for _ in range(10)]:
            consumer.result(BOUND_S)
        assert peak == [1]
        assert served == [encode_id("JOB", n) for n in range(100)]


def test_practice_reap_and_reap_group_racing_recover_each_job_once(clock: ManualClock) -> None:
    with MemoryBackend(clock) as backend, ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            backend.enqueue_many(QUEUE, [NewJob("g", b"")] * 50)
            assert len(backend.bclaim(QUEUE, LEASE, 50)) == 50
            clock.advance(LEASE)
            sweeps = [pool.submit(backend.reap, QUEUE, 7) for _ in range(8)]
            sweeps += [pool.submit(backend.reap_group, QUEUE, "g", 7) for _ in range(8)]
            assert sum(sweep.result(BOUND_S).returned for sweep in sweeps) == 50
            assert backend.snapshot(QUEUE).in_flight == {}
            assert backend.drain(QUEUE, "g") == 50
