"""Promote, reap and reap_group, with ghosts among the entries (GHOST-1, BOOK-1)."""

from __future__ import annotations

from echomq_memory import ManualClock, MemoryBackend

from echomq_core import Job, NewJob, Swept, encode_id

QUEUE = "q"
LEASE = 1_000
A, B, C, D, E = (encode_id("JOB", n) for n in range(1, 6))


def _add(backend: MemoryBackend, group: str, *job_ids: str, delay_ms: int = 0) -> None:
    for job_id in job_ids:
        backend.enqueue(QUEUE, group, b"", job_id=job_id, delay_ms=delay_ms)


def test_promote_takes_due_jobs_by_time_then_id_and_joins_their_lanes_in_that_order(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "late", A, delay_ms=20)
    _add(backend, "second", C, delay_ms=10)
    _add(backend, "first", B, delay_ms=10)
    _add(backend, "never", D, delay_ms=21)
    clock.advance(20)
    assert backend.promote(QUEUE, 2) == Swept(returned=2, dead=0, dropped=0)
    assert backend.ring(QUEUE).items == ("first", "second")
    assert backend.promote(QUEUE, 2) == Swept(returned=1, dead=0, dropped=0)
    assert backend.ring(QUEUE).items == ("first", "second", "late")
    assert backend.snapshot(QUEUE).schedule == {D: 1_000_021}


def test_promote_to_a_paused_lane_leaves_it_off_the_ring(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.pause(QUEUE, "g")
    _add(backend, "g", A, delay_ms=1)
    clock.advance(1)
    assert backend.promote(QUEUE, 10).returned == 1
    assert backend.ring(QUEUE).items == ()
    assert backend.depth(QUEUE, "g") == 1


def test_ghost_1_the_limit_takes_the_first_entries_by_time_ghosts_too(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    for n, job_id in enumerate([A, B, C], start=1):
        _add(backend, "g", job_id, delay_ms=n)
    backend.store.lose_row(QUEUE, A)
    clock.advance(3)
    assert backend.promote(QUEUE, 2) == Swept(returned=1, dead=0, dropped=1)
    assert backend.snapshot(QUEUE).schedule == {C: 1_000_003}


def test_reap_returns_expired_jobs_to_their_own_lanes_by_deadline_then_id(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE + 1)
    _add(backend, "i", C)
    backend.claim(QUEUE, LEASE)
    _add(backend, "h", B)
    backend.claim(QUEUE, LEASE)
    clock.advance(LEASE - 1)
    assert backend.reap(QUEUE, 10).total == 0
    clock.advance(2)
    assert backend.reap(QUEUE, 10) == Swept(returned=3, dead=0, dropped=0)
    assert backend.ring(QUEUE).items == ("h", "i", "g")
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.in_flight, snapshot.active) == ({}, {})
    assert all(record.lapsed for record in snapshot.jobs.values())


def test_reap_sends_a_job_whose_attempts_are_used_up_to_dead(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE)
    backend.release(QUEUE, A, 1)
    for expected in (Swept(1, 0, 0), Swept(0, 1, 0)):
        backend.claim(QUEUE, LEASE)
        clock.advance(LEASE)
        assert backend.reap(QUEUE, 10, max_attempts=2) == expected
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.dead, snapshot.failed, snapshot.in_flight) == ((A,), 1, {})
    record = snapshot.jobs[A]
    assert (record.last_error, record.lapsed, record.attempts) == ("lease expired", False, 3)


def test_book_1_a_dropped_ghost_recounts_after_the_real_entries(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    """Real ones first: lane r joins before the lanes b and a that only the recount frees."""
    for group, held, waiting in (("b", A, C), ("a", B, D)):
        backend.limit(QUEUE, group, 1)
        _add(backend, group, held, waiting)
    backend.claim_many(QUEUE, LEASE, 2)
    _add(backend, "r", E)
    backend.claim(QUEUE, LEASE)
    backend.store.lose_row(QUEUE, A)
    backend.store.lose_row(QUEUE, B)
    assert backend.snapshot(QUEUE).in_flight == {"a": 1, "b": 1, "r": 1}
    clock.advance(LEASE)
    assert backend.reap(QUEUE, 10) == Swept(returned=1, dead=0, dropped=2)
    assert backend.ring(QUEUE).items == ("r", "a", "b")
    assert backend.snapshot(QUEUE).in_flight == {}


def test_book_1_a_ghost_dropped_from_the_schedule_recounts_nothing(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE)
    _add(backend, "g", B, delay_ms=1)
    backend.store.lose_row(QUEUE, A)
    backend.store.lose_row(QUEUE, B)
    clock.advance(1)
    assert backend.promote(QUEUE, 10) == Swept(0, 0, 1)
    assert backend.snapshot(QUEUE).in_flight == {"g": 1}


def test_reap_group_reaps_one_group_and_leaves_ghosts_to_reap(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A, B, C)
    _add(backend, "h", D)
    backend.claim_many(QUEUE, LEASE, 4)
    backend.store.lose_row(QUEUE, A)
    clock.advance(LEASE)
    assert backend.reap_group(QUEUE, "g", 1, max_attempts=2) == Swept(1, 0, 0)
    assert backend.reap_group(QUEUE, "g", 10, max_attempts=1) == Swept(0, 1, 0)
    snapshot = backend.snapshot(QUEUE)
    assert snapshot.lanes == {"g": (B,)}
    assert snapshot.dead == (C,)
    assert set(snapshot.active) == {A, D}


def test_ghost_1_an_id_admitted_again_makes_its_old_entry_a_ghost(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A, delay_ms=10)
    backend.store.lose_row(QUEUE, A)
    _add(backend, "h", A)
    clock.advance(10)
    assert backend.promote(QUEUE, 10) == Swept(0, 0, 1)
    assert backend.snapshot(QUEUE).lanes == {"h": (A,)}


def test_ghost_1_an_id_put_where_its_entry_is_overwrites_the_score(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A, delay_ms=10)
    backend.store.lose_row(QUEUE, A)
    _add(backend, "g", A, delay_ms=20)
    clock.advance(10)
    assert backend.promote(QUEUE, 10).total == 0
    clock.advance(10)
    assert backend.promote(QUEUE, 10) == Swept(1, 0, 0)


def test_hazard_4_reap_group_finds_its_jobs_behind_150_of_another_group(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.enqueue_many(QUEUE, [NewJob("h", b"")] * 150)
    assert len(backend.bclaim(QUEUE, LEASE, 150)) == 150
    _add(backend, "g", A, B, C)
    assert len(backend.bclaim(QUEUE, LEASE + 1, 3)) == 3
    clock.advance(LEASE + 1)
    assert backend.reap_group(QUEUE, "g", 100) == Swept(3, 0, 0)


def test_hazard_12_three_pages_of_250_expired_leases(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    backend.enqueue_many(QUEUE, [NewJob("h", b"")] * 250)
    backend.bclaim(QUEUE, LEASE, 250)
    clock.advance(LEASE)
    assert [backend.reap(QUEUE, 100).total for _ in range(4)] == [100, 100, 50, 0]


def test_a_reaped_job_is_served_again_with_the_next_token(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    _add(backend, "g", A)
    backend.claim(QUEUE, LEASE)
    clock.advance(LEASE)
    backend.reap(QUEUE, 1)
    job = backend.claim(QUEUE, LEASE)
    assert isinstance(job, Job)
    assert (job.token, job.attempt) == (2, 2)
    record = backend.job(QUEUE, A)
    assert record is not None
    assert not record.lapsed
