"""Checks of the async face: many tasks, and a call that is cancelled."""

from __future__ import annotations

import asyncio
from typing import Any

from echomq_core import Job

from .registry import Bench, clause, equal


def _run(bench: Bench, coroutine: Any) -> Any:
    loop = bench.harness.loop
    assert loop is not None
    return loop.run_until_complete(coroutine)


@clause("CONN-3", profiles=("async", "wake"))
def conn_3_a_cancelled_park_leaves_the_backend_usable(bench: Bench) -> None:
    """Cancelled while parked: `CancelledError` comes out, and the next verbs answer at once."""
    verbs = bench.harness.async_backend

    async def cancel_and_go_on() -> tuple[bool, object]:
        parked = asyncio.ensure_future(verbs.park(bench.queue, 60_000))
        await asyncio.sleep(0.02)
        parked.cancel()
        cancelled = False
        try:
            await parked
        except asyncio.CancelledError:
            cancelled = True
        await verbs.enqueue(bench.queue, "g", b"x")
        job = await asyncio.wait_for(verbs.claim(bench.queue, 60_000), 10)
        return cancelled, job

    cancelled, job = _run(bench, cancel_and_go_on())
    equal("CONN-3", "cancelled", True, cancelled)
    assert isinstance(job, Job), f"CONN-3: the next claim answered {job!r}"


@clause("CONN-3", "VERB-claim", profiles=("async",))
def conn_3_tasks_get_their_own_answers(bench: Bench) -> None:
    """Fifty tasks claim at once from fifty jobs: each gets another one, and its own payload."""
    verbs = bench.harness.async_backend

    async def all_at_once() -> list[Any]:
        for number in range(50):
            await verbs.enqueue(bench.queue, f"g{number % 7}", str(number).encode())
        return await asyncio.gather(*(verbs.claim(bench.queue, 60_000) for _ in range(50)))

    jobs = _run(bench, all_at_once())
    payloads = sorted(int(job.payload) for job in jobs)
    equal("CONN-3", "jobs served", list(range(50)), payloads)
