"""Admission and the four claims, worked by hand from the clauses."""

from __future__ import annotations

import pytest
from echomq_memory import ManualClock, MemoryBackend

from echomq_core import Empty, EmptyReason, Enqueued, Job, NewJob, encode_id

A, B, C, D, E = (encode_id("JOB", n) for n in range(1, 6))
QUEUE = "q"
LEASE = 1_000


def _add(backend: MemoryBackend, group: str, *job_ids: str) -> None:
    for job_id in job_ids:
        backend.enqueue(QUEUE, group, job_id.encode(), job_id=job_id)


def _ids(answer: list[Job] | Empty) -> list[str]:
    return [job.id for job in answer]


def _ring(backend: MemoryBackend) -> list[str]:
    return list(backend.ring(QUEUE).items)


def test_claim_answers_the_job_its_token_and_its_deadline(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    job = backend.claim(QUEUE, LEASE)
    assert job == Job(A, "g", A.encode(), token=1, attempt=1, deadline_ms=1_001_000)


def test_enqueue_of_an_id_with_a_row_is_a_duplicate_and_changes_nothing(
    backend: MemoryBackend,
) -> None:
    assert backend.enqueue(QUEUE, "g", b"1", job_id=A) == Enqueued(A, duplicate=False)
    assert backend.enqueue(QUEUE, "h", b"2", job_id=A) == Enqueued(A, duplicate=True)
    record = backend.job(QUEUE, A)
    assert record is not None
    assert (record.group, record.payload) == ("g", b"1")
    assert backend.depths(QUEUE, ["g", "h"]) == {"g": 1, "h": 0}


def test_a_finished_id_is_free_again_and_starts_at_token_1(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE)
    backend.complete(QUEUE, A, 1)
    assert not backend.enqueue(QUEUE, "g", b"", job_id=A).duplicate
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job)
    assert job.token == 1


@pytest.mark.parametrize(
    ("delay_ms", "run_at_ms", "scheduled"),
    [(0, None, False), (1, None, True), (0, 1_000_000, False), (0, 1_000_001, True), (0, 0, False)],
)
def test_clock_1_a_due_time_later_than_now_goes_to_the_schedule(
    backend: MemoryBackend, delay_ms: int, run_at_ms: int | None, scheduled: bool
) -> None:
    backend.enqueue(QUEUE, "g", b"", job_id=A, delay_ms=delay_ms, run_at_ms=run_at_ms)
    stats = backend.stats(QUEUE)
    assert (stats.scheduled, stats.pending) == ((1, 0) if scheduled else (0, 1))


def test_ring_2_the_ring_moves_by_one_step_each_claim(backend: MemoryBackend) -> None:
    _add(backend, "g", A, C)
    _add(backend, "h", B)
    _add(backend, "i", D)
    assert _ring(backend) == ["g", "h", "i"]
    assert _ids([_one(backend)]) == [A]
    assert _ring(backend) == ["h", "i", "g"]
    assert _ids([_one(backend)]) == [B]
    assert _ring(backend) == ["i", "g"]


def _one(backend: MemoryBackend) -> Job:
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job)
    return job


def test_keys_4_a_lane_serves_ids_in_byte_order_whatever_the_order_of_admission(
    backend: MemoryBackend,
) -> None:
    _add(backend, "g", C, A, B)
    assert _ids(backend.bclaim(QUEUE, LEASE, 3)) == [A, B, C]


def test_book_2_a_full_lane_leaves_the_ring_and_a_settle_brings_it_back(
    backend: MemoryBackend,
) -> None:
    backend.limit(QUEUE, "g", 1)
    _add(backend, "g", A, B)
    assert _one(backend).id == A
    assert _ring(backend) == []
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
    backend.complete(QUEUE, A, 1)
    assert _ring(backend) == ["g"]
    assert _one(backend).id == B


def test_claim_many_comes_round_to_a_lane_again(backend: MemoryBackend) -> None:
    _add(backend, "g", A, B, C)
    _add(backend, "h", D)
    assert _ids(backend.claim_many(QUEUE, LEASE, 3)) == [A, D, B]
    assert _ring(backend) == ["g"]


def test_claim_many_of_one_goes_on_past_a_lane_of_ghosts(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    _add(backend, "h", B)
    backend.store.lose_row(QUEUE, A)
    assert _ids(backend.claim_many(QUEUE, LEASE, 1)) == [B]


def test_wclaim_serves_the_weight_in_one_turn_and_1_when_unset(backend: MemoryBackend) -> None:
    backend.weight(QUEUE, "g", 2)
    _add(backend, "g", A, B, C)
    _add(backend, "h", D, E)
    assert _ids(backend.wclaim(QUEUE, LEASE)) == [A, B]
    assert _ids(backend.wclaim(QUEUE, LEASE)) == [D]
    assert _ids(backend.wclaim(QUEUE, LEASE)) == [C]


def test_book_2_a_batch_stops_at_the_headroom(backend: MemoryBackend) -> None:
    backend.limit(QUEUE, "g", 3)
    backend.weight(QUEUE, "g", 3)
    _add(backend, "g", A, B, C, D)
    assert _one(backend).id == A
    assert _ids(backend.bclaim(QUEUE, LEASE, 3)) == [B, C]
    backend.complete(QUEUE, A, 1)
    assert _ids(backend.wclaim(QUEUE, LEASE)) == [D]
    assert backend.snapshot(QUEUE).in_flight == {"g": 3}


def test_empty_names_the_first_reason(backend: MemoryBackend) -> None:
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.RING_EMPTY)
    _add(backend, "g", A)
    backend.store.lose_row(QUEUE, A)
    assert backend.bclaim(QUEUE, LEASE, 5) == Empty(EmptyReason.GHOST)
    backend.pause_queue(QUEUE)
    assert backend.claim_many(QUEUE, LEASE, 5) == Empty(EmptyReason.QUEUE_PAUSED)
    assert backend.wclaim(QUEUE, LEASE) == Empty(EmptyReason.QUEUE_PAUSED)


def test_ghost_1_a_call_ends_with_the_1000th_ghost(backend: MemoryBackend) -> None:
    many = [encode_id("JOB", n) for n in range(10, 1_012)]
    backend.enqueue_many(
        QUEUE,
        [
            NewJob("g", b"", job_id=job_id)
            for job_id in [
                A,
                *many,
            ]
        ],
    )
    for job_id in many[:1_001]:
        backend.store.lose_row(QUEUE, job_id)
    assert _ids(backend.bclaim(QUEUE, LEASE, 5)) == [A]
    assert backend.depth(QUEUE, "g") == 2
    assert _ring(backend) == ["g"]
    assert _ids(backend.bclaim(QUEUE, LEASE, 5)) == [many[-1]]
    assert backend.stats(QUEUE).active == 2


def test_ghost_1_a_call_that_met_1000_ghosts_and_no_job_answers_ghost(
    backend: MemoryBackend,
) -> None:
    many = [encode_id("JOB", n) for n in range(10, 1_011)]
    backend.enqueue_many(QUEUE, [NewJob("g", b"", job_id=job_id) for job_id in many])
    for job_id in many[:1_000]:
        backend.store.lose_row(QUEUE, job_id)
    assert backend.claim_many(QUEUE, LEASE, 5) == Empty(EmptyReason.GHOST)
    assert _one(backend).id == many[-1]


def test_wake_2_a_claim_hands_the_wake_on_while_the_ring_is_nonempty(
    backend: MemoryBackend,
) -> None:
    _add(backend, "g", A, B)
    assert backend.park(QUEUE, 0)
    backend.claim(QUEUE, LEASE)
    assert backend.park(QUEUE, 0)
    backend.claim(QUEUE, LEASE)
    assert not backend.park(QUEUE, 0)


def test_wake_2_an_empty_by_ghosts_hands_the_wake_on_too(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    _add(backend, "h", B)
    backend.store.lose_row(QUEUE, A)
    assert backend.park(QUEUE, 0)
    assert backend.claim(QUEUE, LEASE) == Empty(EmptyReason.GHOST)
    assert backend.park(QUEUE, 0)


def test_wake_1_a_join_leaves_a_token_in_a_paused_queue(backend: MemoryBackend) -> None:
    backend.pause_queue(QUEUE)
    _add(backend, "g", A)
    assert backend.park(QUEUE, 0)


def test_wake_4_only_the_first_of_the_schedule_leaves_a_token(backend: MemoryBackend) -> None:
    backend.enqueue(QUEUE, "g", b"", job_id=B, delay_ms=10)
    assert backend.park(QUEUE, 0)
    backend.enqueue(QUEUE, "g", b"", job_id=C, delay_ms=10)
    assert not backend.park(QUEUE, 0)
    backend.enqueue(QUEUE, "g", b"", job_id=D, delay_ms=11)
    assert not backend.park(QUEUE, 0)
    backend.enqueue(QUEUE, "g", b"", job_id=A, delay_ms=10)
    assert backend.park(QUEUE, 0)


def test_book_1_a_claim_over_an_old_entry_recounts_and_frees_lanes_in_byte_order(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    """A and B are lost in flight of two lanes at their limit of one; both come back elsewhere."""
    for group, lost, waiting in (("z", A, D), ("m", B, E)):
        backend.limit(QUEUE, group, 1)
        _add(backend, group, lost, waiting)
    assert _ids(backend.claim_many(QUEUE, LEASE, 2)) == [A, B]
    backend.store.lose_row(QUEUE, A)
    backend.store.lose_row(QUEUE, B)
    assert backend.snapshot(QUEUE).in_flight == {"z": 1, "m": 1}
    _add(backend, "n", A, B)
    assert backend.park(QUEUE, 0)
    assert _ids(backend.bclaim(QUEUE, LEASE, 2)) == [A, B]
    assert backend.snapshot(QUEUE).in_flight == {"n": 2}
    assert _ring(backend) == ["m", "z"]
    assert backend.park(QUEUE, 0)
