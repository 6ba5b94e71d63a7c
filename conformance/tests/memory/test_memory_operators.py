"""Operator verbs: lanes, the queue's pause, and single jobs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from echomq_memory import ManualClock, MemoryBackend

from echomq_core import (
    CompleteVerdict,
    Empty,
    EmptyReason,
    Job,
    ReassignVerdict,
    RemoveVerdict,
    ReprocessVerdict,
    encode_id,
)

QUEUE = "q"
LEASE = 1_000
A, B, C, D = (encode_id("JOB", n) for n in range(1, 5))


def _add(backend: MemoryBackend, group: str, *job_ids: str, delay_ms: int = 0) -> None:
    for job_id in job_ids:
        backend.enqueue(QUEUE, group, b"", job_id=job_id, delay_ms=delay_ms)


def _ring(backend: MemoryBackend) -> tuple[str, ...]:
    return backend.ring(QUEUE).items


def _kill(backend: MemoryBackend, job_id: str, token: int = 1) -> None:
    backend.retry(QUEUE, job_id, token, delay_ms=0, max_attempts=1, error="broken")


def test_pause_takes_the_lane_off_the_ring_and_resume_puts_it_at_the_tail(
    backend: MemoryBackend,
) -> None:
    _add(backend, "g", A)
    _add(backend, "h", B)
    backend.park(QUEUE, 0)
    assert backend.pause(QUEUE, "g")
    assert not backend.pause(QUEUE, "g")
    assert _ring(backend) == ("h",)
    assert not backend.park(QUEUE, 0)
    assert backend.resume(QUEUE, "g")
    assert _ring(backend) == ("h", "g")
    assert backend.park(QUEUE, 0)
    assert not backend.resume(QUEUE, "g")


def test_resume_of_an_empty_or_full_lane_only_clears_the_flag(backend: MemoryBackend) -> None:
    backend.pause(QUEUE, "empty")
    backend.limit(QUEUE, "full", 1)
    _add(backend, "full", A, B)
    backend.claim(QUEUE, LEASE)
    backend.pause(QUEUE, "full")
    backend.park(QUEUE, 0)
    assert backend.resume(QUEUE, "empty")
    assert backend.resume(QUEUE, "full")
    assert _ring(backend) == ()
    assert not backend.park(QUEUE, 0)


def test_settings_answer_whether_the_stored_value_changed(backend: MemoryBackend) -> None:
    verbs: list[tuple[Callable[[str, str, int], bool], Callable[[str, str], bool]]] = [
        (backend.limit, backend.unlimit),
        (backend.weight, backend.unweight),
    ]
    for put, drop in verbs:
        assert put(QUEUE, "g", 1)
        assert not put(QUEUE, "g", 1)
        assert put(QUEUE, "g", 2)
        assert drop(QUEUE, "g")
        assert not drop(QUEUE, "g")


def test_book_2_a_limit_below_what_is_in_flight_parks_the_lane(backend: MemoryBackend) -> None:
    _add(backend, "g", A, B, C)
    backend.bclaim(QUEUE, LEASE, 2)
    assert backend.limit(QUEUE, "g", 1)
    assert _ring(backend) == ()
    backend.complete(QUEUE, A, 1)
    assert _ring(backend) == ()
    backend.complete(QUEUE, B, 1)
    assert _ring(backend) == ("g",)


def test_hazard_13_limits_and_pauses_in_every_order(backend: MemoryBackend) -> None:
    _add(backend, "g", A, B, C)
    backend.bclaim(QUEUE, LEASE, 2)
    steps: list[tuple[Callable[[], bool], tuple[str, ...]]] = [
        (lambda: backend.limit(QUEUE, "g", 2), ()),
        (lambda: backend.pause(QUEUE, "g"), ()),
        (lambda: backend.limit(QUEUE, "g", 3), ()),
        (lambda: backend.resume(QUEUE, "g"), ("g",)),
        (lambda: backend.limit(QUEUE, "g", 1), ()),
        (lambda: backend.unlimit(QUEUE, "g"), ("g",)),
        (lambda: backend.pause(QUEUE, "g"), ()),
        (lambda: backend.limit(QUEUE, "g", 9), ()),
        (lambda: backend.unlimit(QUEUE, "g"), ()),
        (lambda: backend.resume(QUEUE, "g"), ("g",)),
    ]
    for number, (step, ring) in enumerate(steps):
        assert step(), number
        assert _ring(backend) == ring, number


def test_pause_queue_stops_every_claim_and_writes_nothing(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    assert backend.park(QUEUE, 0)
    assert backend.pause_queue(QUEUE)
    assert not backend.pause_queue(QUEUE)
    before = backend.snapshot(QUEUE)
    paused = Empty(EmptyReason.QUEUE_PAUSED)
    assert backend.claim(QUEUE, LEASE) == paused
    assert backend.claim_many(QUEUE, LEASE, 2) == paused
    assert backend.snapshot(QUEUE) == before
    assert backend.resume_queue(QUEUE)
    assert backend.park(QUEUE, 0)
    assert not backend.resume_queue(QUEUE)
    assert not backend.park(QUEUE, 0)


def test_wake_1_resume_queue_leaves_a_token_even_with_an_empty_ring(
    backend: MemoryBackend,
) -> None:
    backend.pause_queue(QUEUE)
    backend.resume_queue(QUEUE)
    assert backend.park(QUEUE, 0)


def test_reassign_moves_the_last_job_of_a_lane_and_settles_both(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    assert backend.reassign(QUEUE, A, "h") is ReassignVerdict.REASSIGNED
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.ring, snapshot.lanes) == (("h",), {"h": (A,)})
    assert snapshot.jobs[A].group == "h"
    assert backend.reassign(QUEUE, A, "h") is ReassignVerdict.NOOP


def test_hazard_14_reassign_refuses_what_is_not_pending_in_its_lane(
    backend: MemoryBackend,
) -> None:
    _add(backend, "g", A, B, C)
    backend.bclaim(QUEUE, LEASE, 2)
    _kill(backend, B)
    _add(backend, "g", D, delay_ms=5)
    before = backend.snapshot(QUEUE)
    for job_id in (A, B, D):
        assert backend.reassign(QUEUE, job_id, "h") is ReassignVerdict.NOT_PENDING
        assert backend.reassign(QUEUE, job_id, "g") is ReassignVerdict.NOT_PENDING
    assert backend.reassign(QUEUE, "nobody", "g") is ReassignVerdict.NOT_FOUND
    assert backend.snapshot(QUEUE) == before
    backend.store.lose_row(QUEUE, C)
    assert backend.reassign(QUEUE, C, "h") is ReassignVerdict.NOT_FOUND
    assert backend.depths(QUEUE, ["g", "h"]) == {"g": 1, "h": 0}


def test_hazard_14_reassign_to_a_paused_and_to_a_full_lane(backend: MemoryBackend) -> None:
    backend.pause(QUEUE, "paused")
    backend.limit(QUEUE, "full", 1)
    _add(backend, "full", D)
    backend.claim(QUEUE, LEASE)
    _add(backend, "g", A, B)
    assert backend.reassign(QUEUE, A, "paused") is ReassignVerdict.REASSIGNED
    assert _ring(backend) == ("g",)
    assert backend.reassign(QUEUE, B, "full") is ReassignVerdict.REASSIGNED
    assert _ring(backend) == ()


def test_hazard_14_reassign_keeps_token_and_mark(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE)
    clock.advance(LEASE)
    backend.reap(QUEUE, 1)
    backend.reassign(QUEUE, A, "h")
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.COMPLETED
    assert _ring(backend) == ()


def test_drain_deletes_pending_jobs_and_leaves_ghosts_uncounted(backend: MemoryBackend) -> None:
    backend.limit(QUEUE, "g", 5)
    _add(backend, "g", A, B, C)
    backend.claim(QUEUE, LEASE)
    backend.store.lose_row(QUEUE, B)
    _add(backend, "h", B)
    assert backend.drain(QUEUE, "g") == 1
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.lanes, snapshot.ring) == ({"h": (B,)}, ("h",))
    assert (snapshot.in_flight, snapshot.limits) == ({"g": 1}, {"g": 5})
    assert set(snapshot.jobs) == {A, B}
    assert backend.job(QUEUE, C) is None
    assert backend.drain(QUEUE, "g") == 0


def test_hazard_9_remove_from_every_place(backend: MemoryBackend) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B, C)
    backend.claim(QUEUE, LEASE)
    _add(backend, "g", D, delay_ms=5)
    before = backend.snapshot(QUEUE)
    assert backend.remove(QUEUE, A) is RemoveVerdict.ACTIVE
    assert backend.snapshot(QUEUE) == before
    assert backend.remove(QUEUE, D) is RemoveVerdict.REMOVED
    assert backend.remove(QUEUE, A, force=True) is RemoveVerdict.REMOVED
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.GONE
    assert _ring(backend) == ("g",)
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job)
    assert job.id == B
    _kill(backend, B)
    assert backend.remove(QUEUE, B) is RemoveVerdict.REMOVED
    assert backend.remove(QUEUE, C) is RemoveVerdict.REMOVED
    assert backend.remove(QUEUE, C) is RemoveVerdict.GONE
    after = backend.snapshot(QUEUE)
    assert (after.lanes, after.ring, after.active, after.schedule) == ({}, (), {}, {})
    assert (after.dead, after.jobs, after.in_flight) == ((), {}, {})
    assert (after.completed, after.failed) == (0, 1)


def test_hazard_1_a_dead_job_sent_back_waits_and_has_all_its_attempts_again(
    backend: MemoryBackend,
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE)
    _kill(backend, A)
    _add(backend, "g", B)
    backend.claim(QUEUE, LEASE)
    assert backend.reprocess(QUEUE, A) is ReprocessVerdict.REPROCESSED
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.lanes, snapshot.in_flight, snapshot.ring) == ({"g": (A,)}, {"g": 1}, ())
    assert snapshot.jobs[A].last_error is None
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
    backend.complete(QUEUE, B, 1)
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job)
    assert (job.id, job.token, job.attempt) == (A, 2, 1)
    assert backend.snapshot(QUEUE).failed == 1


def test_reprocess_needs_a_job_that_stands_in_dead(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    assert backend.reprocess(QUEUE, A) is ReprocessVerdict.NOT_DEAD
    assert backend.reprocess(QUEUE, B) is ReprocessVerdict.GONE


@pytest.mark.parametrize("emptied", [False, True])
def test_hazard_30_settings_outlive_the_jobs_and_are_listed_and_removable(
    backend: MemoryBackend, emptied: bool
) -> None:
    backend.limit(QUEUE, "g", 1)
    backend.weight(QUEUE, "g", 7)
    backend.pause(QUEUE, "g")
    if emptied:
        _add(backend, "g", A)
        assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
        backend.resume(QUEUE, "g")
        backend.claim(QUEUE, LEASE)
        backend.complete(QUEUE, A, 1)
        backend.pause(QUEUE, "g")
    (settings,) = backend.configuration(QUEUE).items
    assert (settings.group, settings.limit, settings.weight) == ("g", 1, 7)
    assert (settings.paused, settings.idle) == (True, True)
    assert backend.unlimit(QUEUE, "g")
    assert backend.unweight(QUEUE, "g")
    assert backend.resume(QUEUE, "g")
    assert backend.configuration(QUEUE).items == ()
