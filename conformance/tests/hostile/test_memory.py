"""KEYS-2c and HOSTILE-1: servers that run out of memory, and servers that evict."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import (
    Empty,
    Enqueued,
    Fate,
    FullBackend,
    Job,
    Keyspace,
    NewJob,
    ServerFull,
    Swept,
)

from ..valkey.faces import Opener
from .conftest import Start

HOUR = 3_600_000
Admin = Callable[[EmbeddedServer], redis.Redis]


def fill(backend: FullBackend, queue: str) -> int:
    """Enqueue until the server is full; how many were admitted."""
    for admitted in range(10_000):
        try:
            backend.enqueue(queue, f"g{admitted % 3}", b"x" * 20_000)
        except ServerFull:
            return admitted
    raise AssertionError("the server was never full")


def test_keys_2c_no_verb_is_half_done_at_the_limit(
    start: Start, open_face: Opener, queue: str
) -> None:
    """Each verb at the limit, and after each the queue is in order and no job is missing."""
    backend = open_face(start("--maxmemory", "8mb").url)
    admitted = fill(backend, queue)
    assert admitted > 50
    one, two, three, four = backend.claim_many(queue, HOUR, 4)
    verbs: list[tuple[Callable[[], object], object]] = [
        (lambda: backend.retry(queue, one.id, 1, delay_ms=0, max_attempts=9, error="e"), "scheduled"),
        (lambda: backend.promote(queue, 10).returned, 1),
        (lambda: backend.release(queue, two.id, 1), "released"),
        (lambda: backend.retry(queue, three.id, 1, delay_ms=0, max_attempts=1, error="e"), "dead"),
        (lambda: backend.reprocess(queue, three.id), "reprocessed"),
        (lambda: backend.extend(queue, four.id, 1, HOUR), "extended"),
        (lambda: backend.reassign(queue, three.id, "elsewhere"), "reassigned"),
        (lambda: backend.pause(queue, "g1"), True),
        (lambda: backend.resume(queue, "g1"), True),
        (lambda: backend.limit(queue, "g2", 1_000), True),
        (lambda: backend.weight(queue, "g2", 3), True),
        (lambda: backend.pause_queue(queue), True),
        (lambda: backend.resume_queue(queue), True),
        (lambda: backend.park(queue, 0), True),
        (lambda: backend.wake(queue), True),
        (lambda: backend.fsck(queue, repair=True), []),
    ]  # fmt: skip
    for verb, answer in verbs:
        assert verb() == answer
        with pytest.raises(ServerFull):
            backend.enqueue(queue, "new", b"x" * 20_000)
        with pytest.raises(ServerFull):
            backend.enqueue_many(queue, [NewJob("new", b"x" * 20_000, delay_ms=5)])
        stats = backend.stats(queue)
        assert stats.pending + stats.active + stats.scheduled + stats.dead == admitted
        assert backend.fsck(queue) == []
    assert backend.complete(queue, four.id, 1) == "completed"
    done = 1 + sum(backend.drain(queue, group) for group in ("g0", "g1", "g2", "elsewhere"))
    assert done == admitted
    assert backend.enqueue(queue, "g", b"x").duplicate is False


def test_keys_2c_a_bulk_admission_that_fills_the_server_tells_of_each_item(
    start: Start, open_face: Opener, queue: str
) -> None:
    """Each item is larger than half a chunk, so each is a request: the first few stand."""
    backend = open_face(start("--maxmemory", "24mb").url)
    with pytest.raises(ServerFull) as full:
        backend.enqueue_many(queue, [NewJob("g", b"x" * 3_000_000) for _ in range(12)])
    verdicts = list(full.value.verdicts or ())
    stand = [verdict.id for verdict in verdicts if isinstance(verdict, Enqueued)]
    assert 0 < len(stand) < 12
    assert verdicts[len(stand) :] == [Fate.NOT_APPLIED] * (12 - len(stand))
    assert list(backend.snapshot(queue).jobs) == stand
    assert backend.fsck(queue) == []


@pytest.mark.parametrize("policy", ["allkeys-random", "allkeys-lru", "allkeys-lfu"])
def test_hostile_1_what_is_evicted_costs_no_slot_and_the_queue_can_be_emptied(
    start: Start, admin: Admin, queue: str, policy: str
) -> None:
    """Jobs in flight and pending while the server evicts whatever it likes."""
    server = start("--maxmemory", "8mb", "--maxmemory-policy", policy)
    door, keys = admin(server), Keyspace(queue)
    with ValkeyBackend.from_url(server.url) as backend:
        info = backend.check()
        assert info.eviction == policy
        assert any(policy in warning for warning in info.warnings)
        for group in ("g0", "g1", "g2"):
            backend.limit(queue, group, 40)
        backend.enqueue_many(queue, [NewJob(f"g{n % 3}", b"%d" % n) for n in range(60)])
        held = list(backend.claim_many(queue, 1, 60))
        admitted = 60
        while int(door.info("stats")["evicted_keys"]) < 300:
            backend.enqueue(queue, f"g{admitted % 3}", b"x" * 10_000)
            admitted += 1
        door.config_set("maxmemory", 0)

        rows = {key.decode() for key in door.scan_iter(match=keys.base + "job:*", count=1_000)}
        assert 0 < len(rows) < admitted
        for job in held:
            verdict = backend.complete(queue, job.id, job.token)
            assert (verdict == "gone") == (keys.job(job.id) not in rows)
        alive = {keys.job(job.id) for job in held} & rows
        if door.exists(keys.active):
            swept = backend.reap(queue, 1_000)
            assert swept == Swept(0, 0, len(held) - len(alive))
            assert backend.snapshot(queue).in_flight == {}
        for group in ("g0", "g1", "g2"):
            # Back on the ring, should that have been evicted: the ghosts of the lanes are met.
            backend.pause(queue, group)
            backend.resume(queue, group)
        served = finish(backend, queue)
        backend.fsck(queue, repair=True)
        served += finish(backend, queue)
        assert all(job.payload and keys.job(job.id) in rows for job in served)
        assert {keys.job(job.id) for job in served} | alive == rows
        assert backend.reap(queue, 1_000).returned == 0
        assert backend.fsck(queue, repair=True) == []
        state = backend.snapshot(queue)
        assert (state.jobs, state.lanes, dict(state.active), dict(state.in_flight)) == (
            {},
            {},
            {},
            {},
        )
        left = {
            key.decode().removeprefix(keys.base) for key in door.scan_iter(match=keys.base + "*")
        }
        assert left <= {"glimit", "wake", "metrics:completed"}


def finish(backend: FullBackend, queue: str) -> list[Job]:
    """Claim and complete until the ring is empty."""
    served: list[Job] = []
    while (job := backend.claim(queue, HOUR)) != Empty("ring_empty"):  # type: ignore[arg-type]
        if isinstance(job, Job):
            assert backend.complete(queue, job.id, job.token) == "completed"
            served.append(job)
    return served
