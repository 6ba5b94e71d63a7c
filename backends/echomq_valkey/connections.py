"""The sync edge: carries conversations over redis-py connections, for many threads (CONN-8).

Connections come from the client's pool, but commands do not go through the client: its
`execute_command` would repeat them (CONN-1).
"""

from __future__ import annotations

import threading
import time
from typing import Any, TypeVar

import redis

from .calls import Call
from .clients import own_pool
from .conversation import Conversation, Replicas, converse
from .exchange import Answered, Incoming, Lost, Pause, Request
from .failures import connection_failed, reply_failed
from .forking import renew_in_child

__all__ = ["CLOSED", "GATE", "GATE_WAIT_S", "MARGIN_S", "Connections", "Line"]

A = TypeVar("A")

GATE = 64
"""Most connections of a client that was handed in, parked ones not counted; in use at once."""

GATE_WAIT_S = 20.0
"""How long a verb waits for one of them."""

MARGIN_S = 5.0
"""What the read time-out of a blocking command adds to the time that it may block."""

_SLICE_S = 3_600.0


class Connections:
    """A gate in front of the client's pool, and a pool of its own for blocking commands (WAKE-3).

    `owned`: the client is ours to close.
    """

    def __init__(self, client: redis.Redis, *, owned: bool) -> None:
        self._pool: Any = client.connection_pool
        self._owned = owned
        self._parking: Any = own_pool(redis.ConnectionPool, self._pool)
        self._closing = threading.Event()
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """A gate that nobody has passed yet; the pools notice a fork by themselves."""
        most: int = self._pool.max_connections
        self._gate = threading.BoundedSemaphore(most if self._owned else min(GATE, most))

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Wake what is parked, close what is idle; connections in use close when they are done."""
        self._closing.set()
        self._parking.disconnect()
        if self._owned:
            self._pool.disconnect(inuse_connections=False)

    def rest(self) -> None:
        """Close what is idle; it is opened again when it is needed."""
        self._parking.disconnect(inuse_connections=False)
        self._pool.disconnect(inuse_connections=False)

    def answer(self, call: Call[A], replicas: Replicas | None = None) -> A:
        """Carry out one call; `replicas` that must have it, if it writes."""
        return self.carry(converse(call, replicas=replicas))

    def ask(self, request: Request, within_s: float) -> Incoming:
        """One request on a connection made for it alone, past the gate; no step takes longer."""
        pool = own_pool(redis.ConnectionPool, self._pool, within_s=within_s)
        try:
            return Line(pool.get_connection(), self, parks=False).exchange(request)
        except (redis.RedisError, OSError, UnicodeError) as error:
            return connection_failed(error)
        finally:
            pool.disconnect()

    def carry(self, conversation: Conversation[A]) -> A:
        """Run a conversation to its end; holds at most one connection, never across a pause."""
        line: Line | None = None
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
                        line.drop()
                        line.give_back()
                        line = None
                    self._closing.wait(step.seconds)
                    incoming = None
                    continue
                if line is None:
                    taken = self.take(step.parks)
                    if not isinstance(taken, Line):
                        incoming = taken
                        continue
                    line = taken
                incoming = line.exchange(step)
                if isinstance(incoming, Lost):
                    line.give_back()
                    line = None
                    if step.parks and self.closed:
                        incoming = CLOSED
        finally:
            if line is not None:
                line.give_back()

    def take(self, parks: bool) -> Line | Incoming:
        """A connection, or why there is none; nothing was sent then."""
        if self.closed:
            return CLOSED
        if not parks and not self._gate.acquire(timeout=GATE_WAIT_S):
            return Lost(False, f"no connection was free within {GATE_WAIT_S:.0f} s")
        pool = self._parking if parks else self._pool
        try:
            return Line(pool.get_connection(), self, parks)
        except (redis.RedisError, OSError, UnicodeError) as error:
            self._done(parks)
            return connection_failed(error)
        except BaseException:
            self._done(parks)
            raise

    def _release(self, connection: Any, parks: bool) -> None:
        try:
            (self._parking if parks else self._pool).release(connection)
        finally:
            self._done(parks)
            if self.closed:
                self.close()

    def _done(self, parks: bool) -> None:
        if not parks:
            self._gate.release()


CLOSED = Lost(False, "the backend is closed")


class Line:
    """One connection while one conversation uses it."""

    __slots__ = ("_connection", "_connections", "_parks")

    def __init__(self, connection: Any, connections: Connections, parks: bool) -> None:
        self._connection = connection
        self._connections = connections
        self._parks = parks

    def exchange(self, request: Request) -> Incoming:
        """Send and read once. After a `Lost`, and after any other exception, it is disconnected."""
        try:
            # A health check would be a second command in front of ours, with its own failures.
            self._connection.send_command(*request.parts, check_health=False)
            if request.patience_ms is not None:
                self._await_reply(request.patience_ms / 1000 + MARGIN_S)
            return Answered(self._connection.read_response(disable_decoding=True))
        except Exception as error:
            incoming = reply_failed(error)
            if isinstance(incoming, Lost):
                self.drop()
                # close() takes the socket from under a parked thread, which shows as anything.
                if not isinstance(error, redis.RedisError | OSError) and not (
                    self._connections.closed
                ):
                    raise
            return incoming
        except BaseException:
            self.drop()
            raise

    def _await_reply(self, within_s: float) -> None:
        end = time.monotonic() + within_s
        while (left := end - time.monotonic()) > 0:
            # In slices: the system's poll takes no more than 2^31 ms.
            if self._connection.can_read(min(left, _SLICE_S)):
                return
        raise redis.TimeoutError(f"nothing within {within_s:.3f} s")

    def drop(self) -> None:
        """Close the socket: a reply may still be on its way to it."""
        self._connection.disconnect()

    def give_back(self) -> None:
        self._connections._release(self._connection, self._parks)
