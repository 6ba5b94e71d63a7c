"""Servers that restart, kill, unblock, demote and go silent; callers that give up: CONN-3, CONN-4."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
import redis
from echomq_valkey import AsyncValkeyBackend, EmbeddedServer, ValkeyBackend, connections
from echomq_valkey import connections_async as async_edge
from redis.asyncio.connection import AbstractConnection as Connection
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import ConnectionTrouble, Empty, FullBackend, Job, NotApplied, OutcomeUnknown

from .faces import Opener, opened
from .interception import Fate, Proxy

BOUND_S = 10.0


def until(what: Callable[[], object], described: str) -> None:
    """Poll until `what()` is true; fail with the description after a bound."""
    end = time.monotonic() + BOUND_S
    while not what():
        assert time.monotonic() < end, f"not within {BOUND_S} s: {described}"
        time.sleep(0.002)


class InThread:
    """A call in a thread of its own; `result()` answers or raises what it did."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._outcome: Any = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(call,), daemon=True)
        self._thread.start()

    def _run(self, call: Callable[[], Any]) -> None:
        try:
            self._outcome = call()
        except BaseException as error:  # noqa: BLE001 - raised by result()
            self._error = error

    def result(self) -> Any:
        self._thread.join(BOUND_S)
        assert not self._thread.is_alive(), "the call did not come back"
        if self._error is not None:
            raise self._error
        return self._outcome


def _admin(server: EmbeddedServer) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(server.socket_path))


def _blocked(admin: redis.Redis) -> int:
    found: Any = admin.info("clients")
    return int(found["blocked_clients"])


def consume(backend: FullBackend, queue: str, wanted: int, served: list[Job]) -> None:
    """A consumer that parks, claims and settles, and goes on after every typed trouble."""
    while len(served) < wanted:
        try:
            job = backend.claim(queue, 10_000)
            if isinstance(job, Empty):
                backend.park(queue, 60_000)
                continue
            backend.complete(queue, job.id, job.token)
        except ConnectionTrouble:
            continue
        served.append(job)


def enqueue_surely(backend: FullBackend, queue: str, payload: bytes) -> None:
    """Admit one job, through outages that end within the bound."""
    end = time.monotonic() + BOUND_S
    while True:
        try:
            backend.enqueue(queue, "g", payload)
            return
        except ConnectionTrouble:
            assert time.monotonic() < end


def test_conn_4_restart_under_parked_and_busy_consumers(
    own_server: EmbeddedServer, face: str, queue: str
) -> None:
    """Jobs that are admitted after the restart are consumed by both."""
    served: list[Job] = []
    busy: list[Job] = []
    producer = ValkeyBackend.from_url(own_server.url)

    def run(name: str, wanted: int, into: list[Job]) -> None:
        with opened(face, own_server.url) as backend:
            consume(backend, name, wanted, into)

    with _admin(own_server) as admin, producer:
        parked_one = InThread(lambda: run(queue, 2, served))
        until(lambda: _blocked(admin) == 1, "parked")
        producer.enqueue(queue, "g", b"before")
        until(lambda: len(served) == 1, "consumed before the restart")
        until(lambda: _blocked(admin) == 1, "parked again")
        busy_one = InThread(lambda: run(f"{queue}-busy", 50, busy))
        for _ in range(20):
            producer.enqueue(f"{queue}-busy", "g", b"")
        until(lambda: len(busy) >= 5, "busy")
        own_server.restart()
        producer.enqueue(queue, "g", b"after")
        for _ in range(50):
            producer.enqueue(f"{queue}-busy", "g", b"")
        parked_one.result()
        busy_one.result()
    assert [job.payload for job in served] == [b"before", b"after"]


def test_conn_4_killed_connections_are_replaced(
    server: EmbeddedServer, open_face: Opener, raw: redis.Redis, queue: str
) -> None:
    backend = open_face(server.url)
    for _ in range(3):
        backend.enqueue(queue, "g", b"")
        raw.client_kill_filter(_type="normal", skipme=True)
    assert backend.depth(queue, "g") == 3


def _parked(raw: redis.Redis, queue: str, park: Callable[[], Any]) -> tuple[InThread, int]:
    """A call that is parked, and the id of its client at the server."""
    call = InThread(park)
    found: list[int] = []

    def look() -> bool:
        clients: Any = raw.client_list()
        found[:] = [int(c["id"]) for c in clients if c["cmd"] == "blpop" and "b" in c["flags"]]
        return bool(found)

    until(look, "parked")
    return call, found[0]


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        (lambda raw, client: raw.client_unblock(client, error=True), NotApplied),
        (lambda raw, client: raw.client_kill_filter(_id=client), OutcomeUnknown),
    ],
    ids=["unblocked", "killed"],
)
def test_conn_4_park_that_the_server_breaks_off_is_typed_and_works_again(
    server: EmbeddedServer,
    open_face: Opener,
    raw: redis.Redis,
    queue: str,
    how: Callable[[redis.Redis, int], object],
    kind: type[ConnectionTrouble],
) -> None:
    backend = open_face(server.url)
    call, client = _parked(raw, queue, lambda: backend.park(queue, 60_000))
    how(raw, client)
    with pytest.raises(kind) as caught:
        call.result()
    assert caught.value.verb == "park"
    backend.enqueue(queue, "g", b"")
    assert backend.park(queue, 60_000) is True


def test_conn_4_demotion_unblocks_and_readonly_is_followed_up(
    own_server: EmbeddedServer, face: str, queue: str
) -> None:
    def readonly_refusals() -> int:
        stats: Any = admin.info("errorstats")
        return int(stats.get("errorstat_READONLY", {"count": 0})["count"])

    with _admin(own_server) as admin, opened(face, own_server.url) as backend:
        backend.enqueue(queue, "g", b"kept")
        assert backend.park(queue, 1_000) is True
        call, _ = _parked(admin, queue, lambda: backend.park(queue, 60_000))
        admin.replicaof("127.0.0.1", "1")
        with pytest.raises(NotApplied, match="UNBLOCKED"):
            call.result()
        claim = InThread(lambda: backend.claim(queue, 10_000))
        until(lambda: readonly_refusals() > 0, "the claim was refused")
        admin.replicaof("NO", "ONE")
        assert claim.result().payload == b"kept"


def test_conn_4_silent_server_is_noticed_by_the_read_time_out(
    proxy: Proxy, open_face: Opener, queue: str
) -> None:
    backend = open_face(f"{proxy.url}?socket_timeout=0.2")
    backend.enqueue(queue, "g", b"1")
    proxy.arm(Fate.HOLD)
    with pytest.raises(OutcomeUnknown, match="claim"):
        backend.claim(queue, 10_000)
    proxy.arm(Fate.HOLD)
    assert backend.depth(queue, "g") == 0
    backend.enqueue(queue, "g", b"2")
    job = backend.claim(queue, 10_000)
    assert isinstance(job, Job)
    assert job.payload == b"2"


def test_conn_4_silent_blocking_read_is_noticed_too(
    proxy: Proxy, open_face: Opener, queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MARGIN_S", 0.2)
    monkeypatch.setattr(async_edge, "MARGIN_S", 0.2)
    backend = open_face(proxy.url)
    backend.depth(queue, "g")
    proxy.arm(Fate.HOLD)
    with pytest.raises(OutcomeUnknown, match="nothing within"):
        backend.park(queue, 1)
    assert backend.park(queue, 1) is False


def test_park_outlasts_the_read_time_out_of_its_client(
    server: EmbeddedServer, open_face: Opener, queue: str
) -> None:
    backend = open_face(f"{server.url}?socket_timeout=0.1")
    start = time.monotonic()
    assert backend.park(queue, 400) is False
    assert 0.4 <= time.monotonic() - start < 2


@pytest.mark.parametrize("timeout_ms", [0, 1])
def test_park_of_nothing_returns(
    server: EmbeddedServer, open_face: Opener, queue: str, timeout_ms: int
) -> None:
    assert open_face(server.url).park(queue, timeout_ms) is False


def test_longest_park_is_no_overflow(
    server: EmbeddedServer, open_face: Opener, raw: redis.Redis, queue: str
) -> None:
    backend = open_face(server.url)
    call, _ = _parked(raw, queue, lambda: backend.park(queue, 10**12))
    raw.lpush(f"emq:{{{queue}}}:wake", 1)
    assert call.result() is True


def test_wake_3_parking_takes_no_connection_from_settling_verbs(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    client = redis.Redis(
        unix_socket_path=str(server.socket_path),
        retry=Retry(NoBackoff(), 0),
        max_connections=1,
    )
    with ValkeyBackend(client) as backend:
        calls = [_parked(raw, queue, lambda: backend.park(queue, 60_000))[0] for _ in range(3)]
        until(lambda: _blocked(raw) == 3, "three parked")
        backend.enqueue(queue, "g", b"")
        assert backend.depth(queue, "g") == 1
    for call in calls:
        with suppress(NotApplied):
            assert call.result() is True
    client.close()


def test_closed_backend_answers_not_applied_to_parked_and_to_later_calls(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    backend = ValkeyBackend.from_url(server.url)
    call, _ = _parked(raw, queue, lambda: backend.park(queue, 60_000))
    backend.close()
    backend.close()
    with pytest.raises(NotApplied, match="closed"):
        call.result()
    with pytest.raises(NotApplied, match="closed"):
        backend.depth(queue, "g")
    with pytest.raises(NotApplied, match="closed"):
        backend.enqueue_many(queue, [])
    until(lambda: _blocked(raw) == 0, "nobody is parked any more")


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C raises: a process that a shell started in the background ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_conn_3_interrupt_drops_the_connection_and_nothing_else(
    proxy: Proxy, direct: ValkeyBackend, queue: str
) -> None:
    """Ctrl-C while a reply is outstanding: the next call does not get that reply."""
    direct.enqueue_many(queue, [])
    with ValkeyBackend.from_url(proxy.url) as backend:
        backend.enqueue(queue, "g", b"1")
        backend.enqueue(queue, "h", b"2")
        proxy.arm(Fate.HOLD)

        def interrupt() -> None:
            proxy.holding.wait(BOUND_S)
            os.kill(os.getpid(), signal.SIGINT)

        sender = InThread(interrupt)
        with pytest.raises(KeyboardInterrupt):
            backend.claim(queue, 10_000)
        sender.result()
        proxy.let_go.set()
        assert backend.depth(queue, "h") == 1
        job = backend.claim(queue, 10_000)
        assert isinstance(job, Job)
        assert job.payload == b"2"


@pytest.mark.usefixtures("interruptible")
def test_conn_3_interrupted_park_is_not_in_the_way_of_the_next(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    """On the same connection the second would wait behind the first, for its whole minute."""

    def interrupt() -> None:
        until(lambda: _blocked(raw) == 1, "parked")
        os.kill(os.getpid(), signal.SIGINT)

    with ValkeyBackend.from_url(server.url) as backend:
        sender = InThread(interrupt)
        with pytest.raises(KeyboardInterrupt):
            backend.park(queue, 60_000)
        sender.result()
        backend.enqueue(f"{queue}-other", "g", b"")
        assert InThread(lambda: backend.park(f"{queue}-other", 5_000)).result() is True


async def _until_parked(raw: redis.Redis) -> None:
    end = time.monotonic() + BOUND_S
    while _blocked(raw) == 0:
        assert time.monotonic() < end
        await asyncio.sleep(0.002)


def test_conn_3_cancelled_park_leaves_the_backend_usable_at_once(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    async def scenario() -> None:
        async with AsyncValkeyBackend.from_url(server.url) as backend:
            await backend.enqueue(queue, "g", b"")
            await backend.park(queue, 1)
            job = await backend.claim(queue, 10_000)
            assert isinstance(job, Job)
            parked = asyncio.create_task(backend.park(queue, 60_000))
            await _until_parked(raw)
            parked.cancel()
            with pytest.raises(asyncio.CancelledError) as caught:
                await parked
            assert any("'park'" in note for note in caught.value.__notes__)
            async with asyncio.timeout(1):
                assert await backend.complete(queue, job.id, job.token) == "completed"
                await backend.enqueue(queue, "g", b"")
                assert await backend.park(queue, 1_000) is True

    asyncio.run(scenario())


def test_conn_3_time_out_around_a_verb_and_close_under_a_parked_one(
    server: EmbeddedServer, raw: redis.Redis, queue: str
) -> None:
    async def scenario() -> None:
        backend = AsyncValkeyBackend.from_url(server.url)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await backend.park(queue, 60_000)
        assert await backend.depth(queue, "g") == 0
        parked = asyncio.create_task(backend.park(queue, 60_000))
        await _until_parked(raw)
        await backend.close()
        await backend.close()
        with pytest.raises(NotApplied, match="closed"):
            await parked
        with pytest.raises(NotApplied, match="closed"):
            await backend.depth(queue, "g")

    asyncio.run(scenario())


def test_conn_3_cancelled_claim_never_gives_its_reply_to_another_call(
    proxy: Proxy, queue: str
) -> None:
    """Hazard 20: the claim was sent and cancelled; its job is leased, everything else is right."""

    async def scenario() -> None:
        async with AsyncValkeyBackend.from_url(proxy.url) as backend:
            for payload in (b"1", b"2"):
                await backend.enqueue(queue, "g", payload)
            proxy.arm(Fate.HOLD)
            claim = asyncio.create_task(backend.claim(queue, 10_000))
            await asyncio.to_thread(proxy.holding.wait, BOUND_S)
            claim.cancel()
            with pytest.raises(asyncio.CancelledError):
                await claim
            proxy.let_go.set()
            assert await backend.depth(queue, "g") == 1
            job = await backend.claim(queue, 10_000)
            assert isinstance(job, Job)
            assert job.payload == b"2"

    asyncio.run(scenario())


def test_consumer_of_a_closed_async_backend_stays_cancellable() -> None:
    """It goes on after every typed trouble, and must not hold the event loop for that."""

    async def consumer(backend: AsyncValkeyBackend) -> None:
        while True:
            with suppress(ConnectionTrouble):
                await backend.claim("q", 1_000)

    async def scenario() -> None:
        backend = AsyncValkeyBackend.from_url("unix:///nowhere")
        await backend.close()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(consumer(backend), 0.05)

    asyncio.run(scenario())


@pytest.mark.parametrize("verb", ["claim", "park"])
def test_conn_3_cancellation_that_the_client_forgets_is_not_lost(
    server: EmbeddedServer, queue: str, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    """Before Python 3.12 `asyncio.wait_for`, with which the client sends, may swallow one."""
    send = Connection.send_packed_command
    armed = False

    async def forgetful(self: Connection, *args: Any, **kwargs: Any) -> None:
        await send(self, *args, **kwargs)
        task = asyncio.current_task()
        if armed and task is not None:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(0)

    async def scenario() -> None:
        nonlocal armed
        async with AsyncValkeyBackend.from_url(server.url) as backend:
            await backend.enqueue(queue, "g", b"")
            await backend.park(queue, 1)
            armed = True
            call: Any = getattr(backend, verb)(queue, 5_000)
            task = asyncio.create_task(call)
            with pytest.raises(asyncio.CancelledError):
                await task
            armed = False
            async with asyncio.timeout(1):
                assert await backend.job(queue, "unknown") is None

    monkeypatch.setattr(Connection, "send_packed_command", forgetful)
    asyncio.run(scenario())
