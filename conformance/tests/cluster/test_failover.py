"""Primaries that hand over and primaries that die, under load; every job is counted (PROMISE-6)."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import echomq_lua
import pytest
from echomq_valkey import EmbeddedCluster, ValkeyBackend
from echomq_valkey.cluster_nodes import EmbeddedNode

from echomq_core import (
    ConnectionTrouble,
    Enqueued,
    FullBackend,
    Job,
    Keyspace,
    NotApplied,
    OutcomeUnknown,
    TooFewReplicas,
)

from ..valkey.faces import Opener
from .door import Door
from .load import Load
from .waiting import until

GONE_WITHIN_S = 1.0
"""Before a crash: what was acknowledged earlier than that had reached the replica."""


def ids_in(backend: FullBackend, queue: str) -> set[str]:
    return set(backend.snapshot(queue).jobs)


def finish(backend: FullBackend, queue: str) -> set[str]:
    """Work the queue off, leases of lost claims and all; the ids that were completed."""
    done = set()
    for job_id, row in backend.snapshot(queue).jobs.items():
        if row.state == "active":
            assert backend.remove(queue, job_id, force=True) == "removed"
            done.add(job_id)
    while isinstance(job := backend.claim(queue, 1_000_000), Job):
        assert backend.complete(queue, job.id, job.token) == "completed"
        done.add(job.id)
    return done


def test_conn_4_graceful_failover_under_load_loses_nothing_that_was_acknowledged(
    cluster: EmbeddedCluster,
) -> None:
    owner = cluster.primaries()[0]
    queue = Door(cluster).queue_at(owner)
    with ValkeyBackend.from_url(cluster.url) as backend:
        with Load(backend, queue) as load:
            for _ in range(2):
                load.go_on(50)
                owner = cluster.failover(owner)
            load.go_on(50)
        told = load.told
        cluster.wait_until_whole()
        assert backend.fsck(queue) == []
        here = ids_in(backend, queue)
        lost = set(told.admitted) - set(told.completed) - told.maybe_completed - here
        assert lost == set()
        assert not here & set(told.completed), "a job that was completed is back"
        assert here <= set(told.admitted) | told.unsure
        finish(backend, queue)
        assert backend.stats(queue).pending == 0


@pytest.fixture
def victim(mortal: EmbeddedCluster) -> EmbeddedNode:
    return mortal.primaries()[0]


def promoted(cluster: EmbeddedCluster, queue: str, victim: EmbeddedNode) -> None:
    slot = Keyspace(queue).slot()
    until(lambda: (owner := cluster.owners()[slot]) and owner != victim, "a replica took over")


def test_promise_6_killed_primary_under_load_loses_only_what_had_not_reached_its_replica(
    mortal: EmbeddedCluster, victim: EmbeddedNode
) -> None:
    queue = Door(mortal).queue_at(victim)
    with ValkeyBackend.from_url(mortal.url) as backend:
        with Load(backend, queue) as load:
            load.go_on(100)
            killed_at = time.monotonic()
            mortal.kill(victim)
            promoted(mortal, queue, victim)
            load.go_on(100)
        told = load.told
        again = min(at for at in told.admitted.values() if at > killed_at)
        assert backend.fsck(queue) == [], "books and ring are whole after a loss"
        here = ids_in(backend, queue)
        lost = set(told.admitted) - set(told.completed) - told.maybe_completed - here
        assert all(killed_at - GONE_WITHIN_S < told.admitted[job_id] < again for job_id in lost)
        assert here <= set(told.admitted) | told.unsure, "nothing comes from nowhere"
        revived = here & set(told.completed)
        assert all(told.completed[job_id] < again for job_id in revived), "a settle that was lost"
        finish(backend, queue)
        assert backend.fsck(queue) == []
        stats = backend.stats(queue)
        assert (stats.pending, stats.active, stats.scheduled) == (0, 0, 0)
        assert any(isinstance(trouble, NotApplied) for _, trouble in told.troubles)


def test_promise_6_wait_replicas_acknowledged_admissions_survive_a_killed_primary(
    mortal: EmbeddedCluster, victim: EmbeddedNode
) -> None:
    queue = Door(mortal).queue_at(victim)
    with ValkeyBackend.from_url(mortal.url, wait_replicas=1, wait_ms=2_000) as careful:
        with Load(careful, queue) as load:
            load.go_on(50)
            mortal.kill(victim)
            promoted(mortal, queue, victim)
        told = load.told
    with ValkeyBackend.from_url(mortal.url) as backend:
        here = ids_in(backend, queue)
        assert set(told.admitted) <= here | set(told.completed) | told.maybe_completed
        assert not here & set(told.completed)
        assert backend.fsck(queue) == []


def test_promise_6_wait_replicas_too_few_says_how_many_and_the_write_stands(
    mortal: EmbeddedCluster, victim: EmbeddedNode, open_face: Opener
) -> None:
    queue = Door(mortal).queue_at(victim)
    backend = open_face(mortal.url, wait_replicas=1, wait_ms=100)
    assert backend.enqueue(queue, "g", b"1")
    (replica,) = mortal.replicas_of(victim)
    mortal.pause(replica)
    with pytest.raises(TooFewReplicas) as caught:
        backend.enqueue(queue, "g", b"2")
    assert (caught.value.wanted, caught.value.got) == (1, 0)
    assert isinstance(caught.value.answer, Enqueued)
    mortal.resume(replica)
    assert backend.depth(queue, "g") == 2
    until(lambda: _enqueued(backend, queue), "the replica keeps up again")


def _enqueued(backend: FullBackend, queue: str) -> bool:
    try:
        backend.enqueue(queue, "g", b"3")
    except TooFewReplicas:
        return False
    return True


def test_conn_4_parked_consumer_of_a_killed_primary_returns_in_time_and_goes_on(
    mortal: EmbeddedCluster, victim: EmbeddedNode, open_face: Opener
) -> None:
    queue = Door(mortal).queue_at(victim)
    consumer = open_face(mortal.url)
    with ThreadPoolExecutor(1) as pool, ValkeyBackend.from_url(mortal.url) as producer:
        park = pool.submit(consumer.park, queue, 10_000)
        until(lambda: b"blocked_clients:0" not in mortal.ask(victim, "INFO", "clients"), "parked")
        started = time.monotonic()
        mortal.kill(victim)
        with pytest.raises(OutcomeUnknown):
            park.result(15)
        assert time.monotonic() - started < 10
        promoted(mortal, queue, victim)
        woken = pool.submit(_park_until_woken, consumer, queue)
        until(lambda: _admitted(producer, queue), "the new primary admits")
        assert woken.result(20)
    assert isinstance(consumer.claim(queue, 1_000), Job)


def _park_until_woken(consumer: FullBackend, queue: str) -> bool:
    for _ in range(1_000):
        try:
            if consumer.park(queue, 10_000):
                return True
        except ConnectionTrouble:
            continue
    return False


def _admitted(producer: FullBackend, queue: str) -> bool:
    try:
        producer.enqueue(queue, "g", b"1")
    except ConnectionTrouble:
        return False
    return True


def test_verb_park_is_not_lost_when_its_primary_hands_over(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    """UNBLOCKED, then MOVED: parked again at the new primary, and woken there."""
    owner = cluster.primaries()[0]
    queue = Door(cluster).queue_at(owner)
    consumer = open_face(cluster.url)
    with ThreadPoolExecutor(1) as pool, ValkeyBackend.from_url(cluster.url) as producer:
        park = pool.submit(consumer.park, queue, 20_000)
        until(lambda: b"blocked_clients:0" not in cluster.ask(owner, "INFO", "clients"), "parked")
        heir = cluster.failover(owner)
        until(lambda: b"blocked_clients:0" not in cluster.ask(heir, "INFO", "clients"), "again")
        producer.enqueue(queue, "g", b"1")
        assert park.result(20) is True
    cluster.wait_until_whole()


def test_conn_2_noscript_after_promotion_is_invisible(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    owner = cluster.primaries()[1]
    queue = Door(cluster).queue_at(owner)
    backend = open_face(cluster.url)
    backend.enqueue(queue, "g", b"1")
    (heir,) = cluster.replicas_of(owner)
    cluster.ask(heir, "SCRIPT", "FLUSH")
    assert cluster.failover(owner) == heir
    assert cluster.ask(heir, "SCRIPT", "EXISTS", echomq_lua.sha1("claim")) == [0]
    job = backend.claim(queue, 1_000_000)
    assert isinstance(job, Job)
    assert backend.complete(queue, job.id, job.token) == "completed"
    cluster.wait_until_whole()


@pytest.fixture
def fragile() -> Iterator[EmbeddedCluster]:
    """Without replicas: one node down, and all slots are refused."""
    with EmbeddedCluster(replicas=0, node_timeout_ms=500) as running:
        yield running


@pytest.mark.usefixtures("impatient")
def test_conn_2_clients_of_a_cluster_that_is_down_get_not_applied_and_then_go_on(
    fragile: EmbeddedCluster, open_face: Opener
) -> None:
    stays, goes, _ = fragile.nodes
    queue = Door(fragile).queue_at(stays)
    backend = open_face(fragile.url)
    backend.enqueue(queue, "g", b"1")
    fragile.kill(goes)
    until(lambda: _is_down(fragile, stays), "the others noticed")
    with pytest.raises(NotApplied, match="CLUSTERDOWN"):
        backend.claim(queue, 1_000_000)
    started = time.monotonic()
    with pytest.raises(NotApplied, match="CLUSTERDOWN"):
        backend.enqueue(queue, "g", b"2")
    with pytest.raises(NotApplied, match="CLUSTERDOWN"):
        backend.park(queue, 10_000)
    assert time.monotonic() - started < 5
    fragile.restart(goes)
    fragile.wait_until_whole()
    assert isinstance(backend.claim(queue, 1_000_000), Job)
    assert backend.depth(queue, "g") == 0


def _is_down(cluster: EmbeddedCluster, node: EmbeddedNode) -> bool:
    return b"cluster_state:fail" in cluster.ask(node, "CLUSTER", "INFO")


def test_conn_2_no_node_at_all_is_not_applied(open_face: Opener) -> None:
    backend = open_face("valkey-cluster://127.0.0.1:1,127.0.0.1:2")
    with pytest.raises(NotApplied, match="no node of the cluster answered"):
        backend.enqueue("q", "g", b"1")


def test_conn_9_frozen_node_holds_up_its_own_queues_only(
    mortal: EmbeddedCluster, victim: EmbeddedNode, open_face: Opener
) -> None:
    """A node that answers nothing: its callers learn that after the read time-out; then its
    replica has taken over, and the map is asked of the nodes that answer."""
    door = Door(mortal)
    backend = open_face(f"{mortal.url}?socket_timeout=0.5")
    there = door.queue_at(victim)
    elsewhere = door.queue_at(mortal.primaries()[1])
    for queue in (there, elsewhere):
        backend.enqueue(queue, "g", b"1")
    mortal.pause(victim)
    with pytest.raises(OutcomeUnknown):
        backend.enqueue(there, "g", b"2", job_id="JOB0SWn3K0H6NU")
    started = time.monotonic()
    backend.enqueue(elsewhere, "g", b"2")
    assert time.monotonic() - started < 5
    until(lambda: _admitted(backend, there), "the replica took over")
    assert backend.fsck(there) == []


def test_promise_6_primary_that_was_frozen_comes_back_as_a_replica_and_nothing_is_mixed(
    mortal: EmbeddedCluster, victim: EmbeddedNode, open_face: Opener
) -> None:
    """A client of before still has connections to it; what its heir was told meanwhile holds."""
    queue = Door(mortal).queue_at(victim)
    early = open_face(f"{mortal.url}?socket_timeout=2")
    with ValkeyBackend.from_url(mortal.url, wait_replicas=1, wait_ms=5_000) as careful:
        before = {careful.enqueue(queue, f"g{number % 3}", b"1").id for number in range(10)}
    assert early.stats(queue).pending == 10
    mortal.pause(victim)
    promoted(mortal, queue, victim)
    with ValkeyBackend.from_url(mortal.url) as late:
        meanwhile = {late.enqueue(queue, f"g{number % 3}", b"2").id for number in range(10)}
        job = late.claim(queue, 1_000_000)
        assert isinstance(job, Job)
        mortal.resume(victim)
        mortal.wait_until_whole()
        until(lambda: _admitted(early, queue), "the early client goes on")
        assert early.complete(queue, job.id, job.token) == "completed"
        here = ids_in(late, queue)
        assert (before | meanwhile) - {job.id} <= here
        assert len(here) == 20, "20 admitted, one completed, one more admitted"
        assert late.fsck(queue) == []
