"""Slots that move under the verbs: key by key, at once, and behind a client's back (KEYS-2)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import echomq_lua
import pytest
import redis
from echomq_valkey import EmbeddedCluster, ValkeyBackend
from echomq_valkey.cluster_nodes import EmbeddedNode
from echomq_valkey.slot_moves import SlotMove, can_move_at_once, move_at_once

from echomq_core import EchoMQError, FullBackend, Job, Keyspace, NotApplied

from ..valkey.faces import Opener
from ..valkey.verb_cases import CASES, VerbCase, coarse
from .door import Door
from .waiting import until

NOT_APPLIED = "not applied"


def outcome(case: VerbCase, backend: FullBackend, queue: str) -> str:
    """What a verb answered, as text, times and minted ids aside."""
    try:
        return coarse(case.call(backend, queue), queue)
    except NotApplied:
        return NOT_APPLIED


def state(backend: FullBackend, queue: str) -> str:
    return coarse(backend.snapshot(queue), queue)


def two_nodes(cluster: EmbeddedCluster) -> tuple[EmbeddedNode, EmbeddedNode]:
    first, second, _ = cluster.primaries()
    return first, second


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.verb)
def test_keys_2_hazard_32_no_verb_acts_on_half_of_a_queue_at_any_point_of_a_move(
    cluster: EmbeddedCluster, open_face: Opener, case: VerbCase
) -> None:
    """At each point the verb took effect once, as it does on a queue that stays, or not at all."""
    backend = open_face(cluster.url)
    source, target = two_nodes(cluster)
    door = Door(cluster)

    def prepared() -> str:
        queue = door.queue_at(source)
        case.prepare(backend, cast("redis.Redis", door), queue)
        return queue

    twin = prepared()
    before = NOT_APPLIED, state(backend, twin)
    served = outcome(case, backend, twin), state(backend, twin)
    point, applied, whole = 0, 0, False
    while not whole:
        queue = prepared()
        move = SlotMove(cluster, Keyspace(queue).slot(), target).begin()
        keys = move.keys()
        move.move(*keys[:point])
        while (found := outcome(case, backend, queue)) == NOT_APPLIED and point < len(keys):
            move.move(keys[point])
            point += 1
        whole = point == len(keys)
        move.finish()
        assert (found, state(backend, queue)) == (before if found == NOT_APPLIED else served)
        applied += found != NOT_APPLIED
        point += 1
    if case.verb in SINGLE_KEY:
        assert applied == point, "one key is here or there, and ASK tells where"


SINGLE_KEY = {"park", "job", "depth", "ring"}
"""Verbs that are one command on one key: they work at every point of a move."""


@pytest.mark.usefixtures("impatient")
def test_keys_2_a_script_with_the_base_key_alone_would_run_on_half_of_a_queue(
    cluster: EmbeddedCluster, backend: FullBackend
) -> None:
    """Why every script declares one more key: the same script, sent with one and with two."""
    source, target = two_nodes(cluster)
    queue = Door(cluster).queue_at(source)
    keys = Keyspace(queue)
    backend.enqueue(queue, "g", b"1")
    backend.limit(queue, "g", 1)
    backend.pause_queue(queue)
    whole = backend.stats(queue)
    move = SlotMove(cluster, keys.slot(), target).begin()
    move.move(keys.wake.encode(), keys.meta.encode())
    script = echomq_lua.load("sizes")
    with (
        redis.Redis(host=target.host, port=target.port, password=cluster.password) as line,
        line.pipeline(transaction=False) as pipe,
    ):
        pipe.execute_command("ASKING")
        pipe.eval(script, 1, keys.base)
        pipe.execute_command("ASKING")
        pipe.eval(script, 2, keys.base, keys.meta)
        _, half, _, refused = pipe.execute(raise_on_error=False)
    assert isinstance(refused, redis.exceptions.TryAgainError)
    ring, tokens = half[5], half[7]
    assert (ring, tokens) == (0, 1), "it ran, saw the token, and not the ring that is elsewhere"
    assert (whole.serviceable, whole.wakes) == (1, 1)
    with pytest.raises(NotApplied):
        backend.wake(queue)
    move.finish()
    assert backend.stats(queue) == whole


def test_conn_2_a_call_in_the_middle_of_a_move_waits_for_its_end(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    """TRYAGAIN is followed up for 5 s; the move is over before that."""
    backend = open_face(cluster.url)
    source, target = two_nodes(cluster)
    queue = Door(cluster).queue_at(source)
    backend.enqueue(queue, "g", b"1")
    move = SlotMove(cluster, Keyspace(queue).slot(), target).begin()
    move.move(*move.keys()[:2])
    refusals = _error_counts(cluster, target)
    with ThreadPoolExecutor(1) as pool:
        claim = pool.submit(backend.claim, queue, 1_000_000)
        until(lambda: _error_counts(cluster, target) != refusals, "it was told to try again")
        move.finish()
        job = claim.result(20)
    assert isinstance(job, Job)
    assert backend.depth(queue, "g") == 0


def _error_counts(cluster: EmbeddedCluster, node: EmbeddedNode) -> bytes:
    reply: bytes = cluster.ask(node, "INFO", "errorstats")
    return reply


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.verb)
def test_conn_9_a_stale_map_costs_a_detour_and_nothing_else(
    cluster: EmbeddedCluster, open_face: Opener, case: VerbCase
) -> None:
    """MOVED: the slot went away after the client learned where it was."""
    backend = open_face(cluster.url)
    source, target = two_nodes(cluster)
    door = Door(cluster)
    outcomes = []
    for moves in (False, True):
        queue = door.queue_at(source)
        case.prepare(backend, cast("redis.Redis", door), queue)
        if moves:
            SlotMove(cluster, Keyspace(queue).slot(), target).begin().finish()
        outcomes.append((outcome(case, backend, queue), state(backend, queue)))
    assert outcomes[0] == outcomes[1]


def test_conn_9_calls_during_an_atomic_move_never_fail(cluster: EmbeddedCluster) -> None:
    """Valkey 9 moves a slot as one step."""
    if not can_move_at_once(cluster):
        pytest.skip("this server moves slots key by key only")
    source, target = two_nodes(cluster)
    queue = Door(cluster).queue_at(source)
    served: list[str] = []
    stop = threading.Event()
    with ValkeyBackend.from_url(cluster.url) as backend:

        def work() -> None:
            while not stop.is_set():
                admitted = backend.enqueue(queue, "g", b"x" * 1_000)
                job = backend.claim(queue, 1_000_000)
                assert isinstance(job, Job)
                assert backend.complete(queue, job.id, job.token) == "completed"
                served.append(admitted.id)

        for number in range(2_000):
            backend.enqueue(queue, f"lane{number % 7}", b"x" * 1_000)
        with ThreadPoolExecutor(2) as pool:
            workers = [pool.submit(work) for _ in range(2)]
            until(lambda: len(served) > 20, "work is under way")
            move_at_once(cluster, Keyspace(queue).slot(), target)
            after = len(served)
            until(lambda: len(served) > after + 20, "work goes on at the other node")
            stop.set()
            for worker in workers:
                worker.result(20)
        stats = backend.stats(queue)
        assert (stats.pending, stats.active, stats.completed) == (2_000, 0, len(served))
        assert backend.fsck(queue) == []


@pytest.mark.parametrize("token", [True, False])
def test_verb_park_moves_with_the_slot(
    cluster: EmbeddedCluster, open_face: Opener, token: bool
) -> None:
    """Parked at the old owner: sent on by it, parked at the new one, woken there."""
    parked = open_face(cluster.url)
    source, target = two_nodes(cluster)
    queue = Door(cluster).queue_at(source)
    with ThreadPoolExecutor(1) as pool, ValkeyBackend.from_url(cluster.url) as other:
        park = pool.submit(parked.park, queue, 30_000 if token else 2_000)
        until(lambda: _blocked(cluster, source), "it is parked")
        SlotMove(cluster, Keyspace(queue).slot(), target).begin().finish()
        until(lambda: _blocked(cluster, target), "it is parked at the new owner")
        if token:
            other.enqueue(queue, "g", b"1")
        assert park.result(20) is token


def _blocked(cluster: EmbeddedCluster, node: EmbeddedNode) -> bool:
    return b"blocked_clients:0" not in cluster.ask(node, "INFO", "clients")


def test_conn_2_noscript_is_mended_on_every_node(
    cluster: EmbeddedCluster, open_face: Opener
) -> None:
    """Scripts are flushed between any two calls, and slots go to a node that never saw them."""
    backend = open_face(cluster.url)
    source, target = two_nodes(cluster)
    queue = Door(cluster).queue_at(source)
    for number in range(10):
        for node in cluster.nodes:
            cluster.ask(node, "SCRIPT", "FLUSH")
        backend.enqueue(queue, "g", b"1")
        if number == 5:
            cluster.ask(target, "SCRIPT", "FLUSH")
            SlotMove(cluster, Keyspace(queue).slot(), target).begin().finish()
            assert cluster.ask(target, "SCRIPT", "EXISTS", echomq_lua.sha1("claim")) == [0]
        job: Any = backend.claim(queue, 1_000_000)
        assert backend.complete(queue, job.id, job.token) == "completed"
    assert backend.stats(queue).completed == 10


def test_conn_9_no_verb_is_served_by_a_replica(cluster: EmbeddedCluster, open_face: Opener) -> None:
    replicas = [node for node in cluster.nodes if node not in cluster.primaries()]
    assert replicas
    for node in replicas:
        cluster.ask(node, "CONFIG", "RESETSTAT")
    backend = open_face(cluster.url)
    door = Door(cluster)
    for case in CASES:
        queue = door.queue_at(cluster.primaries()[0])
        case.prepare(backend, cast("redis.Redis", door), queue)
        try:
            case.call(backend, queue)
        except EchoMQError as error:
            raise AssertionError(case.verb) from error
    for node in replicas:
        clients = cluster.ask(node, "CLIENT", "LIST", "TYPE", "normal").decode().splitlines()
        assert not [line for line in clients if "cmd=evalsha" in line or "flags=r" in line]
        assert b"cmdstat_eval" not in cluster.ask(node, "INFO", "commandstats")
