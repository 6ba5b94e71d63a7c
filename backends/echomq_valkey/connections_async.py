"""The async edge: carries conversations over redis-py connections, for many tasks (CONN-8).

`connections`, awaited; and a cancelled call drops its connection (CONN-3).
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

import redis
import redis.asyncio

from .calls import Call
from .clients import own_pool
from .connections import CLOSED, GATE, GATE_WAIT_S, MARGIN_S
from .conversation import Conversation, Replicas, converse
from .exchange import Answered, Incoming, Lost, Pause, Request
from .failures import connection_failed, reply_failed

__all__ = ["AsyncConnections", "AsyncLine", "cancellations"]

A = TypeVar("A")


class AsyncConnections:
    """A gate in front of the client's pool, and a pool of its own for blocking commands (WAKE-3).

    `owned`: the client is ours to close.
    """

    def __init__(self, client: redis.asyncio.Redis, *, owned: bool) -> None:
        self._pool: Any = client.connection_pool
        self._owned = owned
        most: int = self._pool.max_connections
        self._gate = asyncio.Semaphore(most if self._owned else min(GATE, most))
        self._parking: Any = own_pool(redis.asyncio.ConnectionPool, self._pool)
        self._closed = False

    @property
    def closed(self) -> bool:
        return self._closed

    async def close(self) -> None:
        """Wake what is parked, close what is idle; connections in use close when they are done."""
        self._closed = True
        await self._parking.disconnect()
        if self._owned:
            await self._pool.disconnect(inuse_connections=False)

    async def rest(self) -> None:
        """Close what is idle; it is opened again when it is needed."""
        await self._parking.disconnect(inuse_connections=False)
        await self._pool.disconnect(inuse_connections=False)

    async def answer(self, call: Call[A], replicas: Replicas | None = None) -> A:
        """Carry out one call; `replicas` that must have it, if it writes."""
        return await self.carry(converse(call, replicas=replicas))

    async def ask(self, request: Request, within_s: float) -> Incoming:
        """One request on a connection made for it alone, past the gate; no step takes longer."""
        pool = own_pool(redis.asyncio.ConnectionPool, self._pool, within_s=within_s)
        try:
            connection = await pool.get_connection()
            return await AsyncLine(connection, self, parks=False).exchange(request)
        except (redis.RedisError, OSError, UnicodeError) as error:
            return connection_failed(error)
        finally:
            await pool.disconnect()

    async def carry(self, conversation: Conversation[A]) -> A:
        """Run a conversation to its end; holds at most one connection, never across a pause."""
        line: AsyncLine | None = None
        incoming: Incoming | None = None
        try:
            while True:
                try:
                    step = conversation.send(incoming)
                except StopIteration as done:
                    answer: A = done.value
                    return answer
                if isinstance(step, Pause):
                    if line is not None:
                        await line.drop()
                        await line.give_back()
                        line = None
                    await asyncio.sleep(step.seconds)
                    incoming = None
                    continue
                if line is None:
                    taken = await self.take(step.parks)
                    if not isinstance(taken, AsyncLine):
                        incoming = taken
                        continue
                    line = taken
                incoming = await line.exchange(step)
                if isinstance(incoming, Lost):
                    await line.give_back()
                    line = None
                    if step.parks and self.closed:
                        incoming = CLOSED
        finally:
            if line is not None:
                await line.give_back()

    async def take(self, parks: bool) -> AsyncLine | Incoming:
        """A connection, or why there is none; nothing was sent then."""
        if self.closed:
            return CLOSED
        if not parks:
            try:
                async with asyncio.timeout(GATE_WAIT_S):
                    await self._gate.acquire()
            except TimeoutError:
                return Lost(False, f"no connection was free within {GATE_WAIT_S:.0f} s")
        pool = self._parking if parks else self._pool
        cancelled = cancellations()
        try:
            # One turn of the loop, in which it notices connections that the server has closed.
            await asyncio.sleep(0)
            connection = await pool.get_connection()
        except (redis.RedisError, OSError, UnicodeError) as error:
            self._done(parks)
            return connection_failed(error)
        except BaseException:
            self._done(parks)
            raise
        if cancellations() > cancelled:
            await self._release(connection, parks)
            raise asyncio.CancelledError
        return AsyncLine(connection, self, parks)

    async def _release(self, connection: Any, parks: bool) -> None:
        try:
            await (self._parking if parks else self._pool).release(connection)
        finally:
            self._done(parks)
            if self.closed:
                await self.close()

    def _done(self, parks: bool) -> None:
        if not parks:
            self._gate.release()


def cancellations() -> int:
    """How often the running task was asked to stop.

    The client sends through `asyncio.wait_for`, which before Python 3.12 forgets a cancellation
    that meets the end of what it waits for; the count does not.
    """
    task = asyncio.current_task()
    return 0 if task is None else task.cancelling()


class AsyncLine:
    """One connection while one conversation uses it."""

    __slots__ = ("_connection", "_connections", "_parks")

    def __init__(self, connection: Any, connections: AsyncConnections, parks: bool) -> None:
        self._connection = connection
        self._connections = connections
        self._parks = parks

    async def exchange(self, request: Request) -> Incoming:
        """Send and read once. After a `Lost`, and after any other exception, it is disconnected."""
        cancelled = cancellations()
        try:
            # A health check would be a second command in front of ours, with its own failures.
            await self._connection.send_command(*request.parts, check_health=False)
            if cancellations() > cancelled:
                raise asyncio.CancelledError
            return Answered(await self._read(request.patience_ms))
        except Exception as error:
            incoming = reply_failed(error)
            if isinstance(incoming, Lost):
                await self.drop()
                # close() takes the stream from under a parked task, which shows as anything.
                if not isinstance(error, redis.RedisError | OSError) and not (
                    self._connections.closed
                ):
                    raise
            return incoming
        except BaseException:
            await self.drop()
            raise

    async def _read(self, patience_ms: int | None) -> Any:
        if patience_ms is None:
            return await self._connection.read_response(disable_decoding=True)
        within_s = patience_ms / 1000 + MARGIN_S
        try:
            async with asyncio.timeout(within_s):
                # With a time-out of its own the client answers None when it is over, which a
                # reply may be too; so its time-out lies behind ours and never comes.
                return await self._connection.read_response(
                    disable_decoding=True, timeout=within_s + 3_600
                )
        except TimeoutError as over:
            raise redis.TimeoutError(f"nothing within {within_s:.3f} s") from over

    async def drop(self) -> None:
        """Close the socket: a reply may still be on its way to it."""
        await self._connection.disconnect(nowait=True)

    async def give_back(self) -> None:
        await self._connections._release(self._connection, self._parks)
