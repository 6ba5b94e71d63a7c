"""Targets over real servers: how a started one is reached, and the kit's back door to it.

A function that starts servers answers a context manager of `Running`; `server_target` makes a
target of it. Everything here needs redis-py only once something is opened.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import (
    AbstractAsyncContextManager,
    AbstractContextManager,
    asynccontextmanager,
    contextmanager,
)
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Protocol

from echomq_core import AsyncBackend, Backend, Keyspace

from .target import Clock, Target

__all__ = [
    "ByMap",
    "ByUrl",
    "Reach",
    "Running",
    "StartServers",
    "cluster_door",
    "one_server",
    "our_version",
    "server_target",
]

_CLAIMS = frozenset({"core", "control", "bulk", "wake", "concurrent", "durable", "wire"})

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


class Reach(Protocol):
    """How clients come to the servers. Pickles, since clients in other processes use it too."""

    def sync(self) -> AbstractContextManager[Backend]: ...

    def asynchronous(self) -> AbstractAsyncContextManager[AsyncBackend]: ...


@dataclass(frozen=True, slots=True)
class Running:
    """Servers that run. `door(command, *args)` answers the raw reply to one command."""

    reach: Reach
    door: Callable[..., Any]


StartServers = Callable[[], AbstractContextManager[Running]]


@dataclass(frozen=True, slots=True)
class ByUrl:
    """By a URL of the Valkey backend."""

    url: str

    def sync(self) -> AbstractContextManager[Backend]:
        from echomq_valkey import ValkeyBackend

        return ValkeyBackend.from_url(self.url)

    def asynchronous(self) -> AbstractAsyncContextManager[AsyncBackend]:
        from echomq_valkey import AsyncValkeyBackend

        return AsyncValkeyBackend.from_url(self.url)


@dataclass(frozen=True, slots=True)
class ByMap:
    """A cluster whose nodes name each other by addresses that are reached at other ones.

    `places`: address that a node names → address at which it is reached.
    """

    places: dict[tuple[str, int], tuple[str, int]]

    def remap(self, named: tuple[str, int]) -> tuple[str, int]:
        return self.places.get(named, named)

    def client_arguments(self) -> dict[str, Any]:
        """What redis-py's cluster clients are made with."""
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        host, port = next(iter(self.places.values()))
        return {
            "host": host,
            "port": port,
            "address_remap": self.remap,
            "retry": Retry(NoBackoff(), 0),
        }

    @contextmanager
    def sync(self) -> Iterator[Backend]:
        import redis
        from echomq_valkey import ValkeyBackend

        with redis.RedisCluster(**self.client_arguments()) as client, ValkeyBackend(client) as made:
            yield made

    @asynccontextmanager
    async def asynchronous(self) -> AsyncIterator[AsyncBackend]:
        import redis.asyncio
        from echomq_valkey import AsyncValkeyBackend

        async with (
            redis.asyncio.RedisCluster(**self.client_arguments()) as client,
            AsyncValkeyBackend(client) as made,
        ):
            yield made


@contextmanager
def one_server(url: str, options: str = "") -> Iterator[Running]:
    """A server that runs already, by a URL that redis-py knows too; `options`: what follows it for
    the backend."""
    import redis

    with redis.Redis.from_url(url) as client:
        yield Running(ByUrl(url + options), client.execute_command)


_CHATTER = tuple(
    f"cmdstat_{name}"
    for name in ("auth", "client", "cluster", "command", "hello", "ping", "psync", "replconf")
)


def cluster_door(client: Any) -> Callable[..., Any]:
    """The back door through a redis-py cluster client: to the node of a command's key; a command
    without one goes to every primary, and what all answered is joined."""

    def ask(*command: Any) -> Any:
        if command[0] not in {"CONFIG", "INFO", "KEYS"}:
            return client.execute_command(*command)
        # KEYS node by node: of several, redis-py 8 answers for one alone
        nodes = client.get_primaries()
        answers = [client.execute_command(*command, target_nodes=node) for node in nodes]
        if command[0] == "KEYS":
            return [name for answer in answers for name in answer]
        return _joined(answers) if command[0] == "INFO" else answers

    return ask


def _joined(answers: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """The fields of all nodes (of one that several have, any), without what nodes tell each other
    and what clients say when they connect."""
    return {
        name: value
        for answer in answers
        for name, value in answer.items()
        if not name.startswith(_CHATTER)
    }


class _Opened:
    """The servers that a target has open."""

    def __init__(self, start: StartServers) -> None:
        self._start = start
        self._running: Running | None = None

    @property
    def running(self) -> Running:
        assert self._running is not None
        return self._running

    @contextmanager
    def sync(self, clock: Clock | None) -> Iterator[Backend]:
        with self._start() as self._running, self._running.reach.sync() as backend:
            yield backend

    @asynccontextmanager
    async def asynchronous(self, clock: Clock | None) -> AsyncIterator[AsyncBackend]:
        with self._start() as self._running:
            async with self._running.reach.asynchronous() as backend:
                yield backend

    def peer(self) -> Callable[[], AbstractContextManager[Backend]]:
        return self.running.reach.sync

    def peer_async(self) -> Callable[[], AbstractAsyncContextManager[AsyncBackend]]:
        return self.running.reach.asynchronous

    def probe(self, *command: Any) -> object:
        return self.running.door(*command)

    def advance(self, queue: str, ms: int) -> None:
        keys = Keyspace(queue)
        self.probe("EVAL", _AGE, 2, keys.base, keys.meta, ms)

    def lose_row(self, queue: str, job_id: str) -> None:
        self.probe("DEL", Keyspace(queue).job(job_id))


def server_target(
    name: str,
    start: StartServers,
    *,
    asynchronous: bool = False,
    claims: frozenset[str] = frozenset(),
) -> Target:
    """The target `name` over servers that are started anew for each run. `claims`: what these
    servers offer besides what every server does."""
    opened = _Opened(start)
    face = frozenset({"async"}) if asynchronous else frozenset[str]()
    return Target(
        name,
        our_version(),
        _CLAIMS | claims | face,
        opened.lose_row,
        open=None if asynchronous else opened.sync,
        open_async=opened.asynchronous if asynchronous else None,
        advance=opened.advance,
        probe=opened.probe,
        peer=opened.peer,
        peer_async=opened.peer_async,
        client=_version("redis", before="redis-py "),
    )


def our_version() -> str:
    """The version of echomq that is installed."""
    return _version("echomq") or "source tree"


def _version(name: str, *, before: str = "") -> str:
    try:
        return before + version(name)
    except PackageNotFoundError:
        return ""
