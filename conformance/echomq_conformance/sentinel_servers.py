"""A primary, a replica and the Sentinel that names the primary, all of a run's own, on loopback."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echomq_core import AsyncBackend, Backend

from .server_targets import Running
from .target import TargetError

__all__ = ["BySentinel", "private_sentinel"]

_LOOPBACK = "127.0.0.1"
_PRIMARY = "main"
_READY_WITHIN_S = 20.0
_POLL_S = 0.02


@dataclass(frozen=True, slots=True)
class BySentinel:
    """Through a redis-py client of the primary that Sentinel names. `protocol`: 2 or 3."""

    port: int
    protocol: int

    @contextmanager
    def client(self) -> Iterator[Any]:
        """A client of the primary."""
        import redis.sentinel

        make: Any = redis.sentinel.Sentinel
        sentinel = make([(_LOOPBACK, self.port)])
        with ExitStack() as stack:
            for watcher in sentinel.sentinels:
                stack.callback(watcher.close)
            yield stack.enter_context(sentinel.master_for(_PRIMARY, **self._settings()))

    @contextmanager
    def sync(self) -> Iterator[Backend]:
        from echomq_valkey import ValkeyBackend

        with self.client() as client, ValkeyBackend(client) as made:
            yield made

    @asynccontextmanager
    async def asynchronous(self) -> AsyncIterator[AsyncBackend]:
        import redis.asyncio.sentinel
        from echomq_valkey import AsyncValkeyBackend

        make: Any = redis.asyncio.sentinel.Sentinel
        sentinel = make([(_LOOPBACK, self.port)])
        try:
            async with (
                sentinel.master_for(_PRIMARY, **self._settings()) as client,
                AsyncValkeyBackend(client) as made,
            ):
                yield made
        finally:
            for watcher in sentinel.sentinels:
                await watcher.aclose()

    def _settings(self) -> dict[str, Any]:
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        return {"retry": Retry(NoBackoff(), 0), "protocol": self.protocol}


@contextmanager
def private_sentinel(binary: Path | None = None, protocol: int = 3) -> Iterator[Running]:
    """The servers, of `binary` or the wheel's, once Sentinel knows both."""
    import redis
    from echomq_valkey import EmbeddedServer
    from echomq_valkey.cluster_nodes import free_ports
    from echomq_valkey.embedded import resolve_binary
    from echomq_valkey.guarding import Guard

    first, second, sentinel = free_ports(3)
    on_port = ("--bind", _LOOPBACK, "--repl-diskless-sync-delay", "0", "--port")
    following = ("--replicaof", f"{_LOOPBACK} {first}")
    guard = Guard()
    watcher: Any
    with (
        EmbeddedServer(binary=binary, args=(*on_port, str(first))),
        EmbeddedServer(binary=binary, args=(*on_port, str(second), *following)),
        redis.Redis(port=second) as replica,
        redis.Redis(port=sentinel) as watcher,
    ):
        try:
            folder = guard.open()
            settings = folder / "sentinel.conf"
            settings.write_text(
                f"port {sentinel}\n"
                f"bind {_LOOPBACK}\n"
                f"sentinel monitor {_PRIMARY} {_LOOPBACK} {first} 1\n"
            )
            _until(lambda: _follows(replica), "the replica follows")
            command = (str(resolve_binary(binary)), str(settings), "--sentinel")
            guard.launch("sentinel", command, folder=folder)
            _until(lambda: _knows_replica(watcher), "Sentinel knows the replica")
            reach = BySentinel(sentinel, protocol)
            with reach.client() as client:
                yield Running(reach, client.execute_command)
        finally:
            guard.close()


def _follows(replica: Any) -> bool:
    return bool(replica.info("replication")["master_link_status"] == "up")


def _knows_replica(watcher: Any) -> bool:
    import redis

    with suppress(redis.ConnectionError):  # it is not up yet
        return len(watcher.execute_command("SENTINEL", "REPLICAS", _PRIMARY)) == 1
    return False


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + _READY_WITHIN_S
    while not holds():
        if time.monotonic() > end:
            raise TargetError(f"it did not come within {_READY_WITHIN_S:.0f} s that {what}")
        time.sleep(_POLL_S)
