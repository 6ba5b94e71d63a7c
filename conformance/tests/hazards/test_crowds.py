"""Hazards and cases from practice that only many clients at once can show."""

from __future__ import annotations

import threading
from collections import Counter

from echomq_core import Empty, FullBackend, JobState, NewJob

from .crowd import many, together

MINUTE = 60_000
HOUR = 60 * MINUTE


class Gauge:
    """How many are inside at once, and the most that ever were."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self.peak = 0

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            self.peak = max(self.peak, self._inside)

    def __exit__(self, *_error: object) -> None:
        with self._lock:
            self._inside -= 1


def work_until_empty(backend: FullBackend, queue: str, gauge: Gauge, n: int) -> list[str]:
    """Claim and complete until all n jobs are done; the ids that this client handled."""
    handled = []
    while backend.stats(queue).completed < n:
        job = backend.claim(queue, HOUR)
        if isinstance(job, Empty):
            continue
        with gauge:
            handled.append(job.id)
        # Out of the gauge before the slot is free, so that a successor never overlaps.
        backend.complete(queue, job.id, job.token)
    return handled


def test_book_2_limit_1_with_10_claimers_never_runs_two_and_lists_every_waiting_job(
    backend: FullBackend, queue: str
) -> None:
    backend.limit(queue, "g", 1)
    admitted = [a.id for a in backend.enqueue_many(queue, [NewJob("g", b"x")] * 100)]
    assert [r.id for r in backend.browse(queue, JobState.PENDING, limit=1_000).items] == admitted
    gauge = Gauge()
    handled = together(*many(10, lambda: work_until_empty(backend, queue, gauge, 100)))
    assert gauge.peak == 1
    assert sorted(i for ids in handled for i in ids) == admitted


def test_book_2_limit_2_with_16_clients_is_never_exceeded(backend: FullBackend, queue: str) -> None:
    backend.limit(queue, "g", 2)
    backend.enqueue_many(queue, [NewJob("g", b"x")] * 200)
    gauge = Gauge()
    handled = together(*many(16, lambda: work_until_empty(backend, queue, gauge, 200)))
    assert 1 <= gauge.peak <= 2
    assert sum(map(len, handled)) == 200
    assert backend.snapshot(queue).in_flight == {}


def test_wake_2_100_parked_consumers_share_100_lanes_of_one_call(
    backend: FullBackend, queue: str
) -> None:
    """One token, handed on by each claim, wakes them all; nobody sleeps to the beat."""
    parked = threading.Semaphore(0)

    def consume() -> str:
        parked.release()
        while True:
            assert backend.park(queue, MINUTE), "slept to the beat while work waited"
            job = backend.claim(queue, HOUR)
            if not isinstance(job, Empty):
                return job.group

    def produce() -> str:
        for _ in range(100):
            assert parked.acquire(timeout=60)
        backend.enqueue_many(queue, [NewJob(f"lane {n}", b"x") for n in range(100)])
        return "all"

    served = together(produce, *many(100, consume))
    assert Counter(served) == Counter(["all", *(f"lane {n}" for n in range(100))])


def test_wake_2_one_lane_of_50_jobs_reaches_all_10_parked_consumers(
    backend: FullBackend, queue: str
) -> None:
    started = threading.Barrier(10, timeout=60)

    def consume() -> int:
        assert backend.park(queue, MINUTE)
        job = backend.claim(queue, HOUR)
        assert job, "a token without work"
        # Nobody takes a second job before all ten have one: so all ten were woken.
        started.wait()
        served = 1
        while backend.claim(queue, HOUR):
            served += 1
        return served

    def produce() -> int:
        backend.enqueue_many(queue, [NewJob("g", b"x")] * 50)
        return 0

    assert sum(together(produce, *many(10, consume))) == 50


def test_wake_2_empty_claim_then_admission_then_park_never_sleeps(
    backend: FullBackend, queue: str
) -> None:
    """The wake between *empty* and *park* waits in the list."""
    for _ in range(1_000):
        assert backend.claim(queue, HOUR) == Empty("ring_empty")  # type: ignore[arg-type]
        backend.enqueue(queue, "g", b"x")
        assert backend.park(queue, MINUTE)
        job = backend.claim(queue, HOUR)
        assert job
        assert backend.complete(queue, job.id, job.token) == "completed"


def test_wake_1_no_claim_of_a_paused_queue_leaves_a_token(backend: FullBackend, queue: str) -> None:
    backend.enqueue(queue, "g", b"x")
    backend.pause_queue(queue)
    assert backend.park(queue, 0)
    for _ in range(3):
        assert backend.claim(queue, HOUR) == Empty("queue_paused")  # type: ignore[arg-type]
    assert not backend.park(queue, 0)
    assert backend.resume_queue(queue)
    assert backend.park(queue, 0)


def test_book_1_reap_and_reap_group_race_for_the_same_jobs(
    backend: FullBackend, queue: str
) -> None:
    """Each expired job is recovered once, the books are exact."""
    backend.limit(queue, "g", 40)
    backend.enqueue_many(queue, [NewJob("g", b"x")] * 60)
    assert len(backend.bclaim(queue, 1, 1_000)) == 40
    while backend.next_due(queue) != 0:
        pass
    swept = together(
        *many(4, lambda: backend.reap(queue, 1_000).total),
        *many(4, lambda: backend.reap_group(queue, "g", 1_000).total),
    )
    assert sum(swept) == 40
    snapshot = backend.snapshot(queue)
    assert (snapshot.in_flight, len(snapshot.lanes["g"]), snapshot.active) == ({}, 60, {})


def test_ring_3_admission_racing_completion_at_limit_1_leaves_the_job_claimable(
    backend: FullBackend, queue: str
) -> None:
    backend.limit(queue, "g", 1)
    for _ in range(300):
        backend.enqueue(queue, "g", b"first")
        job = backend.claim(queue, HOUR)
        assert job
        together(
            lambda job=job: backend.complete(queue, job.id, job.token),  # type: ignore[misc]
            lambda: backend.enqueue(queue, "g", b"second"),
        )
        second = backend.claim(queue, HOUR)
        assert second
        backend.complete(queue, second.id, second.token)


def test_wake_4_a_parked_consumer_runs_a_delayed_job_on_time(
    backend: FullBackend, queue: str
) -> None:
    """Parked for a minute; a job due in 200 ms wakes it to shorten its park."""

    def consume() -> bytes:
        park_ms = MINUTE
        while True:
            backend.park(queue, park_ms)
            backend.promote(queue, 100)
            job = backend.claim(queue, HOUR)
            if not isinstance(job, Empty):
                return job.payload
            due = backend.next_due(queue)
            park_ms = MINUTE if due is None else due

    def produce() -> bytes:
        backend.enqueue(queue, "g", b"late", delay_ms=200)
        return b""

    assert together(produce, consume) == [b"", b"late"]
