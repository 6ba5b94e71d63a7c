"""Hazards of size: bounded steps, no request too large, and the same cost in any number of lanes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import cycle, islice

import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import Empty, Job, NewJob, ServerFull, Swept

HOUR = 3_600_000


@pytest.fixture
def valkey(server: EmbeddedServer) -> Iterator[ValkeyBackend]:
    with ValkeyBackend.from_url(server.url) as backend:
        yield backend


@pytest.fixture
def raw(server: EmbeddedServer) -> Iterator[redis.Redis]:
    with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
        yield client


def calls_of(raw: redis.Redis, command: str) -> int:
    stats = raw.info("commandstats")
    return int(stats.get(f"cmdstat_{command}", {"calls": 0})["calls"])


def test_conn_5_draining_200_000_jobs_goes_in_bounded_steps(
    valkey: ValkeyBackend, raw: redis.Redis, queue: str
) -> None:
    valkey.enqueue_many(queue, [NewJob("g", b"")] * 200_000)
    raw.config_resetstat()
    assert valkey.drain(queue, "g") == 200_000
    assert calls_of(raw, "evalsha") >= 400
    assert valkey.snapshot(queue).ring == ()
    assert list(raw.scan_iter(match=f"emq:{{{queue}}}:*", count=10_000)) == [
        f"emq:{{{queue}}}:wake".encode()
    ]


def test_verb_bulk_100_000_admissions_and_20_000_completions_keep_their_order(
    valkey: ValkeyBackend, queue: str
) -> None:
    items = [NewJob(f"g{n % 7}", b"%d" % n) for n in range(100_000)]
    answers = valkey.enqueue_many(queue, items)
    ids = [answer.id for answer in answers]
    assert ids == sorted(ids)
    assert not any(answer.duplicate for answer in answers)
    jobs: list[Job] = []
    while len(jobs) < 20_000:
        jobs += valkey.claim_many(queue, HOUR, 1_000)
    assert [job.payload for job in jobs[:7]] == [b"%d" % n for n in range(7)]
    pairs = [(job.id, job.token) for job in jobs]
    pairs[5], pairs[19_999] = (pairs[5][0], 2), pairs[4]
    verdicts = valkey.complete_many(queue, pairs)
    expected = ["completed"] * 20_000
    expected[5], expected[19_999] = "stale", "gone"
    assert verdicts == expected


def test_ring_5_claims_cost_the_same_beside_10_000_full_lanes(
    valkey: ValkeyBackend, raw: redis.Redis, queue: str
) -> None:
    """Full and empty lanes are never visited: the server runs as many commands as with one lane."""

    def commands_of_a_claim(name: str) -> int:
        valkey.enqueue_many(name, [NewJob("free", b"")] * 3)
        valkey.claim(name, HOUR)
        raw.config_resetstat()
        assert valkey.claim(name, HOUR)
        stats = raw.info("commandstats")
        return sum(int(entry["calls"]) for entry in stats.values())

    alone = commands_of_a_claim(queue + "-alone")
    lanes = [f"lane {n}" for n in range(10_000)]
    pipe = raw.pipeline(transaction=False)
    base = f"emq:{{{queue}}}:"
    for lane in lanes:
        pipe.hset(base + "glimit", lane, 1)
    pipe.execute()
    valkey.enqueue_many(queue, [NewJob(lane, b"") for lane in lanes for _ in range(2)])
    for _ in range(10):
        assert len(valkey.claim_many(queue, HOUR, 1_000)) == 1_000
    assert valkey.claim(queue, HOUR) == Empty("ring_empty")  # type: ignore[arg-type]
    assert commands_of_a_claim(queue) == alone


def test_ring_2_a_thousand_consumers_of_one_job_each_go_on_where_the_rota_was(
    server: EmbeddedServer, valkey: ValkeyBackend, queue: str
) -> None:
    groups = ["a", "b", "c"]
    valkey.enqueue_many(queue, [NewJob(g, b"") for g in groups for _ in range(400)])
    served = []
    for _ in range(1_000):
        with ValkeyBackend.from_url(server.url) as consumer:
            job = consumer.claim(queue, HOUR)
            assert isinstance(job, Job)
            served.append(job.group)
    assert served == list(islice(cycle(groups), 1_000))


def test_verb_reap_5_000_expired_leases_come_back_in_five_sweeps(
    valkey: ValkeyBackend, queue: str
) -> None:
    valkey.enqueue_many(queue, [NewJob("g", b"")] * 5_000)
    for _ in range(5):
        assert len(valkey.bclaim(queue, 1, 1_000)) == 1_000
    while valkey.next_due(queue) != 0:
        pass
    sweeps = [valkey.reap(queue, 1_000) for _ in range(6)]
    assert sweeps == [Swept(1_000, 0, 0)] * 5 + [Swept(0, 0, 0)]
    assert valkey.depth(queue, "g") == 5_000


def fill(valkey: ValkeyBackend, queue: str) -> int:
    """Enqueue until the server is full; how many were admitted."""
    for admitted in range(100_000):
        try:
            valkey.enqueue(queue, f"g{admitted % 3}", b"x" * 10_000)
        except ServerFull:
            return admitted
    raise AssertionError("the server was never full")


def test_keys_2c_a_full_server_refuses_admission_only_and_can_be_emptied(queue: str) -> None:
    """Every verb but admission goes on at maxmemory, until the queue is empty."""
    with (
        EmbeddedServer(args=("--maxmemory", "8mb", "--maxmemory-policy", "noeviction")) as small,
        ValkeyBackend.from_url(small.url) as valkey,
    ):
        valkey.limit(queue, "g", 10_000)
        admitted = fill(valkey, queue)
        assert admitted > 100
        before = valkey.snapshot(queue)
        with pytest.raises(ServerFull):
            valkey.enqueue(queue, "new", b"x" * 10_000)
        with pytest.raises(ServerFull):
            valkey.enqueue_many(queue, [NewJob("new", b"x" * 10_000)])
        assert valkey.snapshot(queue).lanes == before.lanes

        first, second, third, fourth = valkey.claim_many(queue, HOUR, 4)
        assert valkey.retry(queue, first.id, 1, delay_ms=0, max_attempts=9, error="e") == (
            "scheduled"
        )
        assert valkey.promote(queue, 10).returned == 1
        assert valkey.release(queue, second.id, 1) == "released"
        assert valkey.retry(queue, third.id, 1, delay_ms=0, max_attempts=1, error="e") == "dead"
        assert valkey.remove(queue, third.id) == "removed"
        assert valkey.extend(queue, fourth.id, 1, 1) == "extended"
        while valkey.next_due(queue) != 0:
            pass
        assert valkey.reap(queue, 10).returned == 1
        drained = valkey.drain(queue, "g0")
        done = 0
        while job := valkey.claim(queue, HOUR):
            assert valkey.complete(queue, job.id, job.token) == "completed"
            done += 1
        assert admitted == 1 + drained + done
        assert valkey.enqueue(queue, "g", b"x" * 10_000).duplicate is False


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_keys_4_200_processes_minting_at_once_lose_no_job(
    server: EmbeddedServer, valkey: ValkeyBackend, queue: str
) -> None:
    """Each forked child draws its own node; two that collide mint again: 200,000 jobs admitted."""
    ready, go = os.pipe(), os.pipe()
    children = []
    for _ in range(200):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                os.write(ready[1], b".")
                os.close(go[1])
                os.read(go[0], 1)
                with ValkeyBackend.from_url(server.url) as backend:
                    answers = backend.enqueue_many(queue, [NewJob("g", b"")] * 1_000)
                status = int(any(answer.duplicate for answer in answers))
            finally:
                os._exit(status)
        children.append(child)
    for _ in children:
        os.read(ready[0], 1)
    os.close(go[1])
    statuses = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    for descriptor in (*ready, go[0]):
        os.close(descriptor)
    assert statuses == [0] * 200
    assert valkey.depth(queue, "g") == 200_000
    assert valkey.drain(queue, "g") == 200_000
