"""Settling verbs by token (TOKEN-1, TOKEN-2), worked by hand from the clauses."""

from __future__ import annotations

import pytest
from echomq_memory import ManualClock, MemoryBackend

from echomq_core import (
    CompleteVerdict,
    ExtendVerdict,
    Job,
    ReleaseVerdict,
    RetryVerdict,
    encode_id,
)

A, B, C = (encode_id("JOB", n) for n in range(1, 4))
QUEUE = "q"
LEASE = 1_000


def _claimed(backend: MemoryBackend, *job_ids: str, group: str = "g") -> None:
    for job_id in job_ids:
        backend.enqueue(QUEUE, group, b"", job_id=job_id)
    assert backend.claim_many(QUEUE, LEASE, len(job_ids))


def _retry(backend: MemoryBackend, token: int, *, of: int = 3, error: str = "e") -> RetryVerdict:
    return backend.retry(QUEUE, A, token, delay_ms=50, max_attempts=of, error=error)


def test_complete_deletes_the_row_and_counts(backend: MemoryBackend) -> None:
    _claimed(backend, A)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.COMPLETED
    assert backend.job(QUEUE, A) is None
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.completed, snapshot.in_flight, snapshot.active) == (1, {}, {})


@pytest.mark.parametrize("token", [2, 3])
def test_token_1_another_token_is_stale_and_changes_nothing(
    backend: MemoryBackend, token: int
) -> None:
    _claimed(backend, A)
    before = backend.snapshot(QUEUE)
    assert backend.complete(QUEUE, A, token) is CompleteVerdict.STALE
    assert _retry(backend, token) is RetryVerdict.STALE
    assert backend.release(QUEUE, A, token) is ReleaseVerdict.STALE
    assert backend.extend(QUEUE, A, token, LEASE) is ExtendVerdict.STALE
    assert backend.snapshot(QUEUE) == before


def test_token_1_without_a_row_every_settle_is_gone_and_makes_no_row(
    backend: MemoryBackend,
) -> None:
    _claimed(backend, A)
    backend.store.lose_row(QUEUE, A)
    before = backend.snapshot(QUEUE)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.GONE
    assert _retry(backend, 1) is RetryVerdict.GONE
    assert backend.release(QUEUE, A, 9) is ReleaseVerdict.GONE
    assert backend.extend(QUEUE, A, 1, LEASE) is ExtendVerdict.GONE
    assert backend.snapshot(QUEUE) == before


def test_retry_schedules_until_the_attempts_reach_the_maximum(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A)
    assert _retry(backend, 1, of=2, error="first") is RetryVerdict.SCHEDULED
    assert backend.snapshot(QUEUE).schedule == {A: 1_000_050}
    clock.advance(50)
    assert backend.promote(QUEUE, 10).returned == 1
    assert backend.claim(QUEUE, LEASE)
    assert _retry(backend, 2, of=2, error="second") is RetryVerdict.DEAD
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.dead, snapshot.failed, snapshot.in_flight) == ((A,), 1, {})
    assert snapshot.jobs[A].last_error == "second"


def test_retry_cuts_the_error_at_a_character_and_keeps_an_empty_one(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A)
    _retry(backend, 1, error="x" * 4_095 + "é")
    assert backend.snapshot(QUEUE).jobs[A].last_error == "x" * 4_095
    clock.advance(50)
    backend.promote(QUEUE, 1)
    backend.claim(QUEUE, LEASE)
    _retry(backend, 2, error="")
    assert backend.snapshot(QUEUE).jobs[A].last_error == ""


def test_wake_4_a_retry_that_is_first_in_the_schedule_leaves_a_token(
    backend: MemoryBackend,
) -> None:
    _claimed(backend, A)
    assert backend.park(QUEUE, 0)
    _retry(backend, 1)
    assert backend.park(QUEUE, 0)


def test_release_forgives_the_attempt_and_the_token_grows(backend: MemoryBackend) -> None:
    _claimed(backend, A)
    assert backend.release(QUEUE, A, 1) is ReleaseVerdict.RELEASED
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job)
    assert (job.token, job.attempt) == (2, 1)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.STALE
    assert _retry(backend, 2, of=1) is RetryVerdict.DEAD


def test_extend_sets_the_deadline_from_now_also_to_an_earlier_one(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A)
    clock.advance(100)
    assert backend.extend(QUEUE, A, 1, 10) is ExtendVerdict.EXTENDED
    assert backend.snapshot(QUEUE).active == {A: 1_000_110}


def test_clock_1_the_holder_of_an_expired_lease_may_still_extend_and_settle(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A, B)
    clock.advance(LEASE)
    assert backend.extend(QUEUE, A, 1, LEASE) is ExtendVerdict.EXTENDED
    assert backend.complete(QUEUE, B, 1) is CompleteVerdict.COMPLETED
    assert backend.reap(QUEUE, 10).total == 0


def test_token_2_a_late_complete_takes_the_reaped_job_out_of_its_lane_and_touches_no_book(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A, B)
    clock.advance(LEASE - 1)
    backend.extend(QUEUE, B, 1, LEASE)
    clock.advance(1)
    assert backend.reap(QUEUE, 10).returned == 1
    assert backend.job(QUEUE, A) is not None
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.COMPLETED
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.lanes, snapshot.ring, snapshot.in_flight) == ({}, (), {"g": 1})
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.GONE


def test_token_2_a_late_complete_needs_the_row_s_own_token(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    """Reaped twice: the first holder's token is spent, a higher one is nobody's."""
    _claimed(backend, A)
    clock.advance(LEASE)
    backend.reap(QUEUE, 10)
    backend.claim(QUEUE, LEASE)
    clock.advance(LEASE)
    backend.reap(QUEUE, 10)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.STALE
    assert backend.complete(QUEUE, A, 3) is CompleteVerdict.STALE
    assert backend.complete(QUEUE, A, 2) is CompleteVerdict.COMPLETED


def test_token_2_complete_alone_is_accepted_late(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A)
    clock.advance(LEASE)
    backend.reap(QUEUE, 10)
    assert _retry(backend, 1) is RetryVerdict.STALE
    assert backend.release(QUEUE, A, 1) is ReleaseVerdict.STALE
    assert backend.extend(QUEUE, A, 1, LEASE) is ExtendVerdict.STALE
    assert backend.depth(QUEUE, "g") == 1


def test_token_2_a_job_in_its_lane_by_another_way_has_no_mark(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _claimed(backend, A)
    backend.release(QUEUE, A, 1)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.STALE
    backend.claim(QUEUE, LEASE)
    _retry(backend, 2)
    assert backend.complete(QUEUE, A, 2) is CompleteVerdict.STALE
    clock.advance(50)
    backend.promote(QUEUE, 1)
    assert backend.complete(QUEUE, A, 2) is CompleteVerdict.STALE
    backend.claim(QUEUE, LEASE)
    _retry(backend, 3, of=1)
    assert backend.complete(QUEUE, A, 3) is CompleteVerdict.STALE
    backend.reprocess(QUEUE, A)
    assert backend.complete(QUEUE, A, 3) is CompleteVerdict.STALE


def test_bulk_verbs_answer_item_by_item_in_input_order(backend: MemoryBackend) -> None:
    _claimed(backend, A, B)
    assert backend.extend_many(QUEUE, [(B, 1), (A, 2), (C, 1)], 5) == [
        ExtendVerdict.EXTENDED,
        ExtendVerdict.STALE,
        ExtendVerdict.GONE,
    ]
    assert backend.complete_many(QUEUE, [(A, 1), (A, 1), (B, 2)]) == [
        CompleteVerdict.COMPLETED,
        CompleteVerdict.GONE,
        CompleteVerdict.STALE,
    ]
    assert backend.complete_many(QUEUE, []) == []
    assert backend.extend_many(QUEUE, [], 5) == []
    assert backend.enqueue_many(QUEUE, []) == []


def test_ring_3_lanes_rejoin_at_the_item_that_caused_it(backend: MemoryBackend) -> None:
    for group, job_id, behind in (("g", A, encode_id("JOB", 11)), ("h", B, encode_id("JOB", 12))):
        backend.limit(QUEUE, group, 1)
        _claimed(backend, job_id, group=group)
        backend.enqueue(QUEUE, group, b"", job_id=behind)
    assert backend.ring(QUEUE).items == ()
    backend.complete_many(QUEUE, [(B, 1), (A, 1)])
    assert backend.ring(QUEUE).items == ("h", "g")
