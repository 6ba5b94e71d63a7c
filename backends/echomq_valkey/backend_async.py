"""The async backend: drives the plan of each verb over a server's connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self, TypeVar

from echomq_core import EchoMQError, NotApplied, OutcomeUnknown
from echomq_core.ops import Op
from echomq_core.verbs_async import AsyncVerbs

from .calls import Call
from .cluster_connections_async import AsyncClusterConnections
from .connections_async import AsyncConnections
from .fence import fence
from .opening import async_at, async_to
from .plans import plan
from .settings import Settings

if TYPE_CHECKING:
    import redis.asyncio

__all__ = ["AsyncValkeyBackend"]

A = TypeVar("A")


class AsyncValkeyBackend(AsyncVerbs):
    """Queues on one Valkey or Redis server, on the primary that Sentinel names, or on a cluster.

    Takes a ready redis-py client, which is never closed here and must repeat nothing (CONN-1);
    `from_url` makes one. Safe for many tasks of one event loop (CONN-8); does no I/O before the
    first verb. A cancelled verb raises `CancelledError` with a note and leaves the backend usable.

    `wire_version`: the exact fence text to write if there is none (KEYS-4b). `wait_replicas`,
    `wait_ms`: a write answers only when so many replicas have it, else `TooFewReplicas`.

    Raises `UnsafeClient`, `InvalidArgument`.
    """

    def __init__(
        self,
        client: redis.asyncio.Redis | redis.asyncio.RedisCluster,
        *,
        wire_version: str | None = None,
        wait_replicas: int = 0,
        wait_ms: int = 1_000,
    ) -> None:
        self._begin(async_to(client), Settings(wire_version, wait_replicas, wait_ms))

    def _begin(
        self, connections: AsyncConnections | AsyncClusterConnections, settings: Settings
    ) -> None:
        self._settings = settings
        self._connections = connections
        self._fence_lock = asyncio.Lock()
        self._fenced = False

    @classmethod
    def from_url(
        cls,
        url: str,
        *,
        wire_version: str | None = None,
        wait_replicas: int = 0,
        wait_ms: int = 1_000,
    ) -> Self:
        """A backend with connections of its own.

        `valkey://user:password@host:6379/0?protocol=3`; `valkey-cluster://host:6379,host:6380`.
        """
        settings = Settings(wire_version, wait_replicas, wait_ms)
        backend = cls.__new__(cls)
        backend._begin(async_at(url), settings)
        return backend

    async def close(self) -> None:
        """Verbs that are parked, and all later ones, raise `NotApplied`."""
        await self._connections.close()

    async def _perform(self, op: Op[A]) -> A:
        if self._connections.closed:
            # A consumer that goes on after every trouble must stay cancellable.
            await asyncio.sleep(0)
            raise NotApplied(op.verb, "the backend is closed")
        steps = plan(op)
        try:
            call = next(steps)
            while True:
                try:
                    answer = await self._answer(call)
                except EchoMQError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as done:
            outcome: A = done.value
            return outcome
        except asyncio.CancelledError as cancelled:
            cancelled.add_note(
                f"EchoMQ: cancelled in the verb {op.verb!r}; it took effect once or not at all"
            )
            raise
        finally:
            steps.close()

    async def _answer(self, call: Call[Any]) -> Any:
        if not self._fenced:
            await self._pass_fence(call.verb)
        return await self._connections.answer(call, self._settings.replicas)

    async def _pass_fence(self, verb: str) -> None:
        async with self._fence_lock:
            if self._fenced:
                return
            checks = fence(verb, self._settings.wire_version)
            try:
                call = next(checks)
                while True:
                    try:
                        found = await self._connections.answer(call)
                    except OutcomeUnknown as lost:
                        # It was the fence's command that got no reply; the verb was not sent.
                        raise NotApplied(verb, lost.reason) from lost
                    except EchoMQError as error:
                        call = checks.throw(error)
                    else:
                        call = checks.send(found)
            except StopIteration:
                self._fenced = True
