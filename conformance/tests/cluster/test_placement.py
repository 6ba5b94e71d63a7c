"""Where queues and their keys are on a cluster (KEYS-1), and that every verb finds them."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
import redis
from echomq_valkey import AsyncValkeyBackend, EmbeddedCluster, ValkeyBackend
from echomq_valkey.replies import CLUSTER_PERMISSIONS, MINIMAL_USER

from echomq_core import FullBackend, Job, Keyspace, ServerUnusable, open_backend
from echomq_core.keyspace import VERSION_KEY, slot_of

from ..valkey.faces import Opener
from ..valkey.verb_cases import CASES, VerbCase, coarse
from .door import Door


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.verb)
def test_keys_1_every_verb_answers_the_same_on_queues_of_every_node(
    cluster: EmbeddedCluster, open_face: Opener, case: VerbCase
) -> None:
    """One queue at each of three nodes, and the answers are alike."""
    backend = open_face(cluster.url)
    door = Door(cluster)
    answers = set()
    for node in cluster.primaries():
        queue = door.queue_at(node)
        case.prepare(backend, cast("redis.Redis", door), queue)
        answers.add(coarse(case.call(backend, queue), queue))
        assert all(slot_of(key) == Keyspace(queue).slot() for key in door.keys_of(queue))
    assert len(answers) == 1, answers


def test_keys_1_a_hundred_queues_spread_and_each_stays_on_its_slot(
    cluster: EmbeddedCluster, backend: FullBackend
) -> None:
    groups = ["a:b", ":pending", "{x}", "}{", "g:x:pending", "ring"]
    queues = [f"spread-{number}" for number in range(100)]
    for queue in queues:
        for group in groups:
            backend.enqueue(queue, group, b"1")
        backend.limit(queue, "{x}", 1)
        job = backend.claim(queue, 1_000_000)
        assert isinstance(job, Job)
        backend.retry(queue, job.id, job.token, delay_ms=9_000_000, max_attempts=3, error="")
    door = Door(cluster)
    found: dict[str, set[bytes]] = {queue: set() for queue in queues}
    for node in cluster.primaries():
        for key in door.keys_at(node):
            assert door.owner(key) == node
            name = key.partition(b"{")[2].partition(b"}")[0].decode()
            if name in found:
                found[name].add(key)
                assert slot_of(key) == Keyspace(name).slot()
    rows, lanes, others = len(groups), len(groups) - 1, len(("ring", "schedule", "glimit", "wake"))
    assert {len(keys) for keys in found.values()} == {rows + lanes + others}
    assert len({door.owner(Keyspace(queue).base) for queue in queues}) == 3


def test_keys_4b_the_version_fence_is_on_its_own_slot(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    owner = cluster.primary_of(slot_of(VERSION_KEY))
    try:
        open_face(cluster.url, wire_version="echomq:3.0.0").depth("q", "g")
        assert cluster.ask(owner, "GET", VERSION_KEY) == b"echomq:3.0.0"
        assert open_face(cluster.url).depth("q", "g") == 0
    finally:
        cluster.ask(owner, "DEL", VERSION_KEY)


def test_conn_7_the_minimal_user_and_two_permissions_are_enough_on_a_cluster(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    rule = ("ACL", "SETUSER", "worker", "reset", "on", ">pw", *MINIMAL_USER.split())
    for node in cluster.nodes:
        cluster.ask(node, *rule)
    addresses = ",".join(node.address for node in cluster.nodes)
    url = f"valkey-cluster://worker:pw@{addresses}"
    with pytest.raises(ServerUnusable, match=r"cluster\|slots"):
        open_face(url).depth("q", "g")
    for node in cluster.nodes:
        cluster.ask(node, "ACL", "SETUSER", "worker", *CLUSTER_PERMISSIONS.split())
    backend = open_face(url)
    door = Door(cluster)
    for case in CASES:
        for node in cluster.primaries():
            queue = door.queue_at(node)
            case.prepare(backend, cast("redis.Redis", door), queue)
            case.call(backend, queue)


def test_check_names_the_topology(cluster: EmbeddedCluster, open_face: Opener) -> None:
    info = open_face(cluster.url).check()
    assert (info.topology, info.scripts, info.eviction) == ("cluster", True, "noeviction")


def test_fsck_looks_at_the_node_that_has_the_queue(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    """A lane that only a scan can find (RING-6), on queues of all nodes."""
    backend = open_face(cluster.url)
    door = Door(cluster)
    for number in range(12):
        queue = f"lost-lane-{number}"
        backend.enqueue(queue, "g", b"1")
        door.delete(Keyspace(queue).ring)
        (breach,) = backend.fsck(queue, repair=True)
        assert (breach.clause, breach.group, breach.repaired) == ("RING-1", "g", True)
        assert backend.fsck(queue) == []


@pytest.mark.parametrize("protocol", [2, 3])
def test_both_protocols_serve(cluster: EmbeddedCluster, open_face: Opener, protocol: int) -> None:
    backend = open_face(f"{cluster.url}?protocol={protocol}")
    backend.enqueue(f"p{protocol}", "g", b"1")
    assert backend.claim(f"p{protocol}", 1_000)


def test_hazard_29_a_thousand_first_calls_at_once_are_all_answered(
    cluster: EmbeddedCluster,
) -> None:
    async def rush() -> list[Any]:
        for node in cluster.nodes:
            cluster.ask(node, "SCRIPT", "FLUSH")
        async with AsyncValkeyBackend.from_url(cluster.url) as backend:
            calls = (backend.enqueue(f"rush-{number % 50}", "g", b"1") for number in range(1_000))
            return await asyncio.gather(*calls)

    answers = asyncio.run(rush())
    assert len({answer.id for answer in answers if not answer.duplicate}) == 1_000


def test_url_and_registry_open_a_cluster(cluster: EmbeddedCluster) -> None:
    with open_backend(cluster.url) as backend:
        assert backend.depth("registry", "g") == 0


def test_one_node_of_the_url_is_enough(cluster: EmbeddedCluster, open_face: Opener) -> None:
    dead = "127.0.0.1:1"
    for node in cluster.nodes:
        backend = open_face(f"valkey-cluster://:{cluster.password}@{dead},{node.address}")
        assert backend.depth("seeds", "g") == 0


def test_sync_backend_serves_a_forked_child(cluster: EmbeddedCluster) -> None:
    import os

    with ValkeyBackend.from_url(cluster.url) as backend:
        backend.enqueue("forked", "g", b"1")
        child = os.fork()
        if child == 0:
            try:
                backend.enqueue("forked", "g", b"2")
            finally:
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        assert backend.depth("forked", "g") == 2
