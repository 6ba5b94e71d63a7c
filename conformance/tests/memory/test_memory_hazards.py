"""Sequences that break an implementation, by the number of the case; the rest are beside their verb."""

from __future__ import annotations

import pytest
from echomq_memory import ManualClock, MemoryBackend

from echomq_core import (
    CompleteVerdict,
    Empty,
    EmptyReason,
    ExtendVerdict,
    Job,
    ReleaseVerdict,
    RetryVerdict,
    Swept,
    encode_id,
)

QUEUE = "q"
LEASE = 1_000
A, B, C = (encode_id("JOB", n) for n in range(1, 4))


def _add(backend: MemoryBackend, group: str, *job_ids: str, delay_ms: int = 0) -> None:
    for job_id in job_ids:
        backend.enqueue(QUEUE, group, job_id.encode(), job_id=job_id, delay_ms=delay_ms)


def _claim(backend: MemoryBackend) -> Job:
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job), job
    return job


def _expire(
    backend: MemoryBackend, clock: ManualClock, *, max_attempts: int | None = None
) -> Swept:
    clock.advance(LEASE)
    return backend.reap(QUEUE, 100, max_attempts=max_attempts)


def test_hazard_2_a_late_heartbeat_does_not_revive_a_reaped_job(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)
    _claim(backend)
    _expire(backend, clock)
    assert backend.extend(QUEUE, A, 1, LEASE) is ExtendVerdict.STALE
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.lanes, snapshot.active) == ({"g": (A,)}, {})


def test_hazard_3_a_heartbeat_on_a_retried_job_is_refused(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    _claim(backend)
    backend.retry(QUEUE, A, 1, delay_ms=5, max_attempts=9, error="")
    assert backend.extend(QUEUE, A, 1, LEASE) is ExtendVerdict.STALE
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.schedule, snapshot.active) == ({A: 1_000_005}, {})


@pytest.mark.parametrize("verb", ["claim", "claim_many", "wclaim", "bclaim"])
def test_hazard_5_a_ghost_at_the_head_costs_no_slot(backend: MemoryBackend, verb: str) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B, C)
    backend.store.lose_row(QUEUE, A)
    many = {"claim": (), "claim_many": (3,), "wclaim": (), "bclaim": (3,)}[verb]
    answer = getattr(backend, verb)(QUEUE, LEASE, *many)
    served = [answer] if isinstance(answer, Job) else answer
    assert [job.id for job in served] == [B]
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.in_flight, set(snapshot.jobs)) == ({"g": 1}, {B, C})
    backend.complete(QUEUE, B, 1)
    assert _claim(backend).id == C


def test_hazard_6_an_expired_id_without_a_row_is_dropped_and_its_slot_is_free(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B)
    _claim(backend)
    backend.store.lose_row(QUEUE, A)
    assert _expire(backend, clock) == Swept(0, 0, 1)
    assert backend.job(QUEUE, A) is None
    assert backend.snapshot(QUEUE).in_flight == {}
    assert backend.park(QUEUE, 0)
    assert _claim(backend).id == B


def test_hazard_6_a_due_id_without_a_row_is_dropped(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A, delay_ms=LEASE)
    backend.store.lose_row(QUEUE, A)
    clock.advance(LEASE)
    assert backend.promote(QUEUE, 1) == Swept(0, 0, 1)
    assert backend.stats(QUEUE).scheduled == 0
    assert backend.depth(QUEUE, "g") == 0


def test_hazard_7_after_pause_queue_has_answered_no_claim_serves(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    backend.pause_queue(QUEUE)
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.QUEUE_PAUSED)


def test_hazard_8_an_empty_by_ghosts_asks_to_try_again_not_to_park(
    backend: MemoryBackend,
) -> None:
    _add(backend, "g", A)
    _add(backend, "h", B)
    backend.store.lose_row(QUEUE, A)
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.GHOST)
    assert _claim(backend).id == B


def test_hazard_10_a_retry_at_the_ceiling_frees_the_slot_and_waits_at_its_mint_place(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B, C)
    _claim(backend)
    backend.retry(QUEUE, A, 1, delay_ms=10, max_attempts=9, error="")
    assert _claim(backend).id == B
    clock.advance(10)
    assert backend.promote(QUEUE, 10).returned == 1
    assert backend.snapshot(QUEUE).lanes == {"g": (A, C)}
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
    backend.complete(QUEUE, B, 1)
    assert _claim(backend).id == A


def test_hazard_11_an_expired_job_to_dead_at_the_ceiling_wakes_its_lane(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B)
    assert backend.park(QUEUE, 0)
    _claim(backend)
    assert not backend.park(QUEUE, 0)
    assert _expire(backend, clock, max_attempts=1) == Swept(0, 1, 0)
    assert backend.park(QUEUE, 0)
    assert _claim(backend).id == B


def test_hazard_22_a_token_never_starts_again_within_a_life(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)

    def claimed(expected: int) -> None:
        assert _claim(backend).token == expected
        for old in range(1, expected):
            assert backend.complete(QUEUE, A, old) is CompleteVerdict.STALE
            verdict = backend.retry(QUEUE, A, old, delay_ms=0, max_attempts=9, error="")
            assert verdict is RetryVerdict.STALE
            assert backend.release(QUEUE, A, old) is ReleaseVerdict.STALE
            assert backend.extend(QUEUE, A, old, LEASE) is ExtendVerdict.STALE

    claimed(1)
    backend.release(QUEUE, A, 1)
    claimed(2)
    backend.retry(QUEUE, A, 2, delay_ms=0, max_attempts=9, error="")
    backend.promote(QUEUE, 1)
    claimed(3)
    _expire(backend, clock)
    claimed(4)
    backend.retry(QUEUE, A, 4, delay_ms=0, max_attempts=1, error="")
    backend.reprocess(QUEUE, A)
    claimed(5)
    _expire(backend, clock)
    backend.reassign(QUEUE, A, "h")
    claimed(6)


def test_hazard_27_a_slot_is_not_given_back_twice(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B)
    _claim(backend)
    _expire(backend, clock)
    assert _claim(backend).token == 2
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.STALE
    retried = backend.retry(QUEUE, A, 1, delay_ms=0, max_attempts=1, error="")
    assert retried is RetryVerdict.STALE
    assert backend.release(QUEUE, A, 1) is ReleaseVerdict.STALE
    assert backend.snapshot(QUEUE).in_flight == {"g": 1}
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)


@pytest.mark.parametrize("group", ["g", "h"])
def test_hazard_31_an_id_lost_in_flight_comes_back_and_no_slot_stays_taken(
    backend: MemoryBackend, group: str
) -> None:
    """In g, 2 slots: the first life's count is taken back when the second is claimed."""
    backend.limit(QUEUE, "g", 2)
    _add(backend, "g", A)
    _claim(backend)
    backend.store.lose_row(QUEUE, A)
    _add(backend, group, A)
    assert backend.snapshot(QUEUE).in_flight == {"g": 1}
    assert _claim(backend).token == 1
    assert backend.snapshot(QUEUE).in_flight == {group: 1}
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.COMPLETED
    assert backend.snapshot(QUEUE).in_flight == {}
    assert backend.snapshot(QUEUE).active == {}


def test_hazard_31_an_id_lost_in_flight_at_a_limit_of_one_waits_for_the_reap(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A)
    _claim(backend)
    backend.store.lose_row(QUEUE, A)
    _add(backend, "g", A)
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
    assert _expire(backend, clock) == Swept(0, 0, 1)
    assert _claim(backend).token == 1
    assert backend.snapshot(QUEUE).in_flight == {"g": 1}


def test_hazard_31_an_id_lost_in_a_lane_comes_back_elsewhere_and_is_served_once(
    backend: MemoryBackend,
) -> None:
    _add(backend, "g", A)
    backend.store.lose_row(QUEUE, A)
    _add(backend, "h", A)
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.GHOST)
    assert _claim(backend).group == "h"
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.COMPLETED


def test_hazard_31_a_settle_in_the_new_life_leaves_the_old_entry_to_promote(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A, delay_ms=LEASE)
    backend.store.lose_row(QUEUE, A)
    _add(backend, "g", A)
    _claim(backend)
    assert backend.complete(QUEUE, A, 1) is CompleteVerdict.COMPLETED
    clock.advance(LEASE)
    assert backend.promote(QUEUE, 9) == Swept(0, 0, 1)
    assert backend.depth(QUEUE, "g") == 0


def test_hazard_34_a_claim_of_a_paused_queue_leaves_no_token(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    assert backend.park(QUEUE, 0)
    backend.pause_queue(QUEUE)
    for _ in range(3):
        assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.QUEUE_PAUSED)
        assert not backend.park(QUEUE, 0)


def test_practice_a_retry_due_later_does_not_block_its_group(backend: MemoryBackend) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B)
    _claim(backend)
    backend.retry(QUEUE, A, 1, delay_ms=3_600_000, max_attempts=9, error="")
    assert _claim(backend).id == B
