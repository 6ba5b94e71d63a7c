"""Many threads and tasks, a fork, and a script cache that is flushed under them: CONN-8."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import redis
from echomq_valkey import AsyncValkeyBackend, EmbeddedServer, ValkeyBackend, connections
from echomq_valkey import connections_async as async_edge

from echomq_core import Job, NewJob, NotApplied

from .faces import Opener
from .interception import Fate, Proxy
from .test_outages import InThread, until
from .verb_cases import CASES, VerbCase, coarse


def _connections(raw: redis.Redis) -> int:
    clients: Any = raw.client_list()
    return len(clients)


def test_conn_8_two_hundred_threads_share_a_backend(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    before = _connections(raw)
    with ValkeyBackend.from_url(server.url) as backend, ThreadPoolExecutor(200) as threads:

        def work(number: int) -> str:
            backend.enqueue(queue, f"g{number}", str(number).encode())
            job = backend.claim(queue, 60_000)
            assert isinstance(job, Job)
            assert job.group == f"g{job.payload.decode()}"
            return str(backend.complete(queue, job.id, job.token))

        assert list(threads.map(work, range(200))) == ["completed"] * 200
        assert _connections(raw) - before <= 64
        assert backend.stats(queue).completed == 200


def test_conn_8_two_hundred_tasks_share_a_backend(server: EmbeddedServer, queue: str) -> None:
    async def scenario() -> None:
        async with AsyncValkeyBackend.from_url(server.url) as backend:

            async def work(number: int) -> str:
                await backend.enqueue(queue, f"g{number}", str(number).encode())
                job = await backend.claim(queue, 60_000)
                assert isinstance(job, Job)
                assert job.group == f"g{job.payload.decode()}"
                return str(await backend.complete(queue, job.id, job.token))

            answers = await asyncio.gather(*(work(number) for number in range(200)))
            assert answers == ["completed"] * 200
            assert (await backend.stats(queue)).completed == 200

    asyncio.run(scenario())


def test_thousand_first_calls_at_once_after_a_flush(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    """Hazard 29: all answered, over no more connections than the gate lets through."""
    before = _connections(raw)
    raw.script_flush()

    async def scenario() -> None:
        async with AsyncValkeyBackend.from_url(server.url) as backend:
            made = await asyncio.gather(*(backend.enqueue(queue, "g", b"") for _ in range(1_000)))
            assert len({answer.id for answer in made}) == 1_000
            assert _connections(raw) - before <= 64
            assert await backend.depth(queue, "g") == 1_000

    asyncio.run(scenario())


@pytest.mark.parametrize("case", CASES, ids=[case.verb for case in CASES])
def test_script_flush_before_a_verb_is_invisible(
    case: VerbCase,
    queue: str,
    server: EmbeddedServer,
    open_face: Opener,
    direct: ValkeyBackend,
    raw: redis.Redis,
) -> None:
    control = f"{queue}-control"
    for name in (queue, control):
        case.prepare(direct, raw, name)
    backend = open_face(server.url)
    expected = coarse(case.call(direct, control), control)
    raw.script_flush()
    assert coarse(case.call(backend, queue), queue) == expected
    assert coarse(direct.snapshot(queue), queue) == coarse(direct.snapshot(control), control)


def test_script_flush_inside_a_bulk_verb_is_invisible(
    proxy: Proxy, raw: redis.Redis, open_face: Opener, queue: str
) -> None:
    backend = open_face(proxy.url)
    chunks = 0

    def flush_before_the_third(command: list[bytes]) -> bool:
        nonlocal chunks
        chunks += command[0] == b"EVALSHA"
        if chunks == 3:
            raw.script_flush()
        return False

    proxy.arm(Fate.CUT, flush_before_the_third)
    answers = backend.enqueue_many(queue, [NewJob("g", b"") for _ in range(3_000)])
    assert [answer.duplicate for answer in answers] == [False] * 3_000
    assert b"SCRIPT" in [command[0] for command in proxy.seen]
    proxy.arm(Fate.CUT, lambda _: False)
    assert backend.depth(queue, "g") == 3_000


def test_max_connections_of_the_url_counts(
    proxy: Proxy, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many verbs run at once, and no more: the others wait."""
    monkeypatch.setattr(connections, "GATE_WAIT_S", 0.2)
    with ValkeyBackend.from_url(f"{proxy.url}?max_connections=70") as backend:
        backend.depth(queue, "g")
        with redis.Redis(unix_socket_path=str(proxy.path)) as admin:
            admin.client_pause(20_000, all=False)
            held = [InThread(lambda: backend.enqueue(queue, "g", b"")) for _ in range(70)]
            until(lambda: _sent(proxy) == 70, "all are sent")
            with pytest.raises(NotApplied, match="no connection was free"):
                backend.enqueue(queue, "g", b"")
            admin.client_unpause()
        assert len({call.result().id for call in held}) == 70
        assert backend.depth(queue, "g") == 70


def _sent(proxy: Proxy) -> int:
    return sum(command[0] == b"EVALSHA" for command in tuple(proxy.seen))


def test_wait_for_a_connection_is_bounded(
    proxy: Proxy, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "GATE_WAIT_S", 0.2)
    with ValkeyBackend.from_url(f"{proxy.url}?max_connections=1") as backend:
        backend.enqueue(queue, "g", b"")
        proxy.arm(Fate.HOLD)
        held = InThread(lambda: backend.claim(queue, 10_000))
        proxy.holding.wait(5)
        with pytest.raises(NotApplied, match="no connection was free"):
            backend.depth(queue, "g")
        proxy.let_go.set()
        assert isinstance(held.result(), Job)
        assert backend.depth(queue, "g") == 0


def test_async_wait_for_a_connection_is_bounded(
    proxy: Proxy, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(async_edge, "GATE_WAIT_S", 0.2)

    async def scenario() -> None:
        async with AsyncValkeyBackend.from_url(f"{proxy.url}?max_connections=1") as backend:
            await backend.enqueue(queue, "g", b"")
            proxy.arm(Fate.HOLD)
            held = asyncio.create_task(backend.claim(queue, 10_000))
            await asyncio.to_thread(proxy.holding.wait, 5)
            with pytest.raises(NotApplied, match="no connection was free"):
                await backend.depth(queue, "g")
            proxy.let_go.set()
            assert isinstance(await held, Job)
            assert await backend.depth(queue, "g") == 0

    asyncio.run(scenario())


FORK = """
import os, sys, threading
import redis
from echomq_valkey import ValkeyBackend
url, queue = sys.argv[1:]
backend = ValkeyBackend.from_url(url + "?max_connections=1")
raw = redis.Redis(unix_socket_path=url.removeprefix("unix://"))
backend.enqueue(queue, "warm", b"")

# A thread holds the only connection at the moment of the fork: writes are paused.
raw.client_pause(20_000, all=False)
held = threading.Thread(target=lambda: backend.enqueue(queue, "held", b""))
held.start()
while not any(
    client["cmd"].startswith("evalsha") and "b" in client["flags"]
    for client in raw.client_list()
):
    pass

def work(group):
    return all(backend.depth(queue, group) == n and backend.enqueue(queue, group, b"") for n in range(200))

child = os.fork()
raw.client_unpause()
if child == 0:
    os._exit(0 if work("child") else 1)
mine = work("parent")
held.join()
_, status = os.waitpid(child, 0)
print(mine, status, backend.depth(queue, "child"), backend.depth(queue, "held"))
"""


def test_conn_8_forked_child_shares_no_connection_and_no_lock(
    server: EmbeddedServer, queue: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK, server.url, queue],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True 0 200 1\n", "")
