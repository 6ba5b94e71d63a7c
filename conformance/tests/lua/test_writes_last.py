"""KEYS-2b as it happens: a script reads every key that it will write before its first write.

A script that is refused midway keeps what it wrote. What can refuse it midway is a key of another
type: so each key that is touched after the first write was read before it, by a command of its
type. Watched on a server, for every verb in a queue where it has something to do.
"""

from __future__ import annotations

from collections.abc import Callable

import echomq_lua
import pytest
import redis
from echomq_valkey import ValkeyBackend

from echomq_core import FullBackend, Keyspace, NewJob

from ..valkey.verb_cases import CASES, IDS, LEASE_MS
from .sources import WRITES
from .watching import Run, Watch

NAMES = {echomq_lua.sha1(name): name for name in echomq_lua.names()}
BULK = {"enqueue_many", "complete_many", "extend_many"}
"""Each item of these decides first and writes last by itself, after the items before it."""

Scene = Callable[[FullBackend, redis.Redis, str], Callable[[], object]]


def _wrote(run: Run, at: int) -> bool:
    """A ZADD NX that is followed by a plain ZADD of the same entry found it there: it wrote nothing."""
    command = run.commands[at]
    refused = command[0] == "ZADD" and command[2] == "NX"
    again = ("ZADD", command[1], *command[3:]) if refused else ()
    return command[0] in WRITES and again not in run.commands[at:]


def unread(run: Run) -> list[tuple[str, ...]]:
    """The commands after the first write whose key no command before it had read."""
    known: set[str] = set()
    written, found = False, []
    for at, command in enumerate(run.commands):
        name, key = command[0], command[1] if len(command) > 1 else ""
        # DEL takes every type; TIME has no key.
        if written and key and key not in known and name != "DEL":
            found.append(command)
        if name not in {"EXISTS", "TYPE", "DEL"}:
            known.add(key)
        written = written or _wrote(run, at)
    return found


def _prepared(case: int) -> Scene:
    def scene(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
        CASES[case].prepare(backend, raw, queue)
        return lambda: CASES[case].call(backend, queue)

    return scene


def _claimed(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    backend.limit(queue, "g", 1)
    backend.enqueue_many(queue, [NewJob("g", b"1", job_id) for job_id in IDS[:2]])
    backend.claim(queue, LEASE_MS)
    raw.delete(Keyspace(queue).wake)


def _claim_recounts(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    """The job has an old entry in `active`; another group's book is wrong and its lane is off."""
    _claimed(backend, raw, queue)
    raw.delete(Keyspace(queue).job(IDS[0]))
    backend.enqueue(queue, "h", b"1", job_id=IDS[0])
    return lambda: backend.claim(queue, LEASE_MS)


def _claim_many_recounts(
    backend: FullBackend, raw: redis.Redis, queue: str
) -> Callable[[], object]:
    _claim_recounts(backend, raw, queue)
    return lambda: backend.claim_many(queue, LEASE_MS, 5)


def _reap_recounts(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    raw.delete(Keyspace(queue).job(IDS[0]))
    raw.zadd(Keyspace(queue).active, {IDS[0]: 1})
    return lambda: backend.reap(queue, 10)


def _reap_to_dead(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    raw.zadd(Keyspace(queue).active, {IDS[0]: 1})
    return lambda: backend.reap(queue, 10, max_attempts=1)


def _late_complete(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    backend.enqueue(queue, "g", b"1", job_id=IDS[0])
    backend.claim(queue, LEASE_MS)
    raw.zadd(Keyspace(queue).active, {IDS[0]: 1})
    backend.reap(queue, 1)
    return lambda: backend.complete(queue, IDS[0], 1)


def _complete_at_the_limit(
    backend: FullBackend, raw: redis.Redis, queue: str
) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    return lambda: backend.complete(queue, IDS[0], 1)


def _retry_at_the_limit(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    return lambda: backend.retry(queue, IDS[0], 1, delay_ms=0, max_attempts=1, error="no")


def _limit_raised(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    return lambda: backend.limit(queue, "g", 2)


def _limit_dropped(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    return lambda: backend.unlimit(queue, "g")


def _forced_remove(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    _claimed(backend, raw, queue)
    return lambda: backend.remove(queue, IDS[0], force=True)


def _repair(backend: FullBackend, raw: redis.Redis, queue: str) -> Callable[[], object]:
    """Two rows that stand nowhere, of two groups; a wrong book; lanes that are off the ring."""
    backend.enqueue_many(queue, [NewJob(f"g{i}", b"1", IDS[i]) for i in range(4)])
    backend.claim_many(queue, LEASE_MS, 2)
    keys = Keyspace(queue)
    raw.delete(keys.active, keys.ring, keys.wake)
    return lambda: backend.fsck(queue, repair=True)


SCENES: dict[str, Scene] = {
    **{f"{case.verb}-{index}": _prepared(index) for index, case in enumerate(CASES)},
    "claim recounts": _claim_recounts,
    "claim_many recounts": _claim_many_recounts,
    "reap recounts": _reap_recounts,
    "reap to dead": _reap_to_dead,
    "late complete": _late_complete,
    "complete at the limit": _complete_at_the_limit,
    "retry at the limit": _retry_at_the_limit,
    "limit raised": _limit_raised,
    "limit dropped": _limit_dropped,
    "forced remove": _forced_remove,
    "repair": _repair,
}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_keys_2b_what_is_written_was_read_before_the_first_write(
    scene: Scene, backend: ValkeyBackend, raw: redis.Redis, queue: str, watch: Watch
) -> None:
    call = scene(backend, raw, queue)
    found = {
        NAMES[run.digest]: unread(run)
        for run in watch.during(call)
        if NAMES[run.digest] not in BULK and unread(run)
    }
    assert found == {}


@pytest.mark.parametrize("scene", SCENES.values(), ids=SCENES.keys())
def test_keys_2_scripts_touch_keys_of_their_queue_alone(
    scene: Scene, backend: ValkeyBackend, raw: redis.Redis, queue: str, watch: Watch
) -> None:
    for run in watch.during(scene(backend, raw, queue)):
        keys = {command[1] for command in run.commands if len(command) > 1}
        assert run.base not in keys, "the base key is never created, and read by nothing"
        assert all(key.startswith(run.base) for key in keys)


MAY_SCAN = {"pause", "limit", "drain", "reassign", "remove", "explain", "snapshot", "fsck"}
MAY_SCAN |= {"late complete", "limit raised", "limit dropped", "forced remove", "repair"}
HOT = [name for name in SCENES if name.split("-")[0] not in MAY_SCAN]


@pytest.mark.parametrize("name", HOT)
def test_ring_5_no_scan_of_the_ring_for_a_producer_or_a_consumer(
    name: str, backend: ValkeyBackend, raw: redis.Redis, queue: str, watch: Watch
) -> None:
    """None of LREM, LPOS and LRANGE to the end; a claim reads as many heads as it may serve, and one."""
    call = SCENES[name](backend, raw, queue)
    ring = Keyspace(queue).ring
    commands = [command for run in watch.during(call) for command in run.commands]
    on_ring = [command for command in commands if command[1:2] == (ring,)]
    assert not [command for command in on_ring if command[0] in {"LREM", "LPOS"}]
    assert all(0 <= int(command[3]) <= 10 for command in on_ring if command[0] == "LRANGE")
