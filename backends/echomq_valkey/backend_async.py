"""The async backend: drives the plan of each verb over a server's connections."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self, TypeVar

from echomq_core import EchoMQError, NotApplied, OutcomeUnknown
from echomq_core.ops import Op
from echomq_core.verbs_async import AsyncVerbs

from .calls import Call
from .clients import check_async_client, make_async_client
from .connections_async import AsyncConnections
from .conversation import converse
from .fence import fence
from .plans import plan
from .settings import Settings
from .urls import parse_url

if TYPE_CHECKING:
    import redis.asyncio

__all__ = ["AsyncValkeyBackend"]

A = TypeVar("A")


class AsyncValkeyBackend(AsyncVerbs):
    """Queues on one Valkey or Redis server, or on the primary that Sentinel names.

    Takes a ready redis-py client, which is never closed here and must repeat nothing (CONN-1);
    `from_url` makes one. Safe for many tasks of one event loop (CONN-8); does no I/O before the
    first verb. A cancelled verb raises `CancelledError` with a note and leaves the backend usable.

    `wire_version`: the exact fence text to write if there is none (KEYS-4b). `wait_replicas`,
    `wait_ms`: a write answers only when so many replicas have it, else `TooFewReplicas`.

    Raises `UnsafeClient`, `InvalidArgument`.
    """

    def __init__(
        self,
        client: redis.asyncio.Redis,
        *,
        wire_version: str | None = None,
        wait_replicas: int = 0,
        wait_ms: int = 1_000,
    ) -> None:
        self._settings = Settings(wire_version, wait_replicas, wait_ms)
        check_async_client(client)
        self._connections = AsyncConnections(client, owned=False)
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
        """A backend with a client of its own: `valkey://user:password@host:6379/0?protocol=3`."""
        client = make_async_client(parse_url(url))
        backend = cls(
            client, wire_version=wire_version, wait_replicas=wait_replicas, wait_ms=wait_ms
        )
        backend._connections = AsyncConnections(client, owned=True)
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
        return await self._connections.carry(converse(call, replicas=self._settings.replicas))

    async def _pass_fence(self, verb: str) -> None:
        async with self._fence_lock:
            if self._fenced:
                return
            checks = fence(verb, self._settings.wire_version)
            try:
                call = next(checks)
                while True:
                    try:
                        found = await self._connections.carry(converse(call))
                    except OutcomeUnknown as lost:
                        # It was the fence's command that got no reply; the verb was not sent.
                        raise NotApplied(verb, lost.reason) from lost
                    except EchoMQError as error:
                        call = checks.throw(error)
                    else:
                        call = checks.send(found)
            except StopIteration:
                self._fenced = True
