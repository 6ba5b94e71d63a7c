"""The sync backend: drives the plan of each verb over a server's connections."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Self, TypeVar

from echomq_core import EchoMQError, NotApplied, OutcomeUnknown
from echomq_core.ops import Op
from echomq_core.verbs import SyncVerbs

from .calls import Call
from .cluster_connections import ClusterConnections
from .connections import Connections
from .fence import fence
from .forking import renew_in_child
from .opening import sync_at, sync_to
from .plans import plan
from .settings import Settings

if TYPE_CHECKING:
    import redis

__all__ = ["ValkeyBackend"]

A = TypeVar("A")


class ValkeyBackend(SyncVerbs):
    """Queues on one Valkey or Redis server, on the primary that Sentinel names, or on a cluster.

    Takes a ready redis-py client, which is never closed here and must repeat nothing (CONN-1);
    `from_url` makes one. Safe for many threads (CONN-8); does no I/O before the first verb.

    `wire_version`: the exact fence text to write if there is none (KEYS-4b). `wait_replicas`,
    `wait_ms`: a write answers only when so many replicas have it, else `TooFewReplicas`.

    Raises `UnsafeClient`, `InvalidArgument`.
    """

    def __init__(
        self,
        client: redis.Redis | redis.RedisCluster,
        *,
        wire_version: str | None = None,
        wait_replicas: int = 0,
        wait_ms: int = 1_000,
    ) -> None:
        self._begin(sync_to(client), Settings(wire_version, wait_replicas, wait_ms))

    def _begin(self, connections: Connections | ClusterConnections, settings: Settings) -> None:
        self._settings = settings
        self._connections = connections
        self._fenced = False
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """Called in a forked child: a lock that nobody holds there."""
        self._fence_lock = threading.Lock()

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
        backend._begin(sync_at(url), settings)
        return backend

    def close(self) -> None:
        """Verbs that are parked, and all later ones, raise `NotApplied`."""
        self._connections.close()

    def _perform(self, op: Op[A]) -> A:
        if self._connections.closed:
            raise NotApplied(op.verb, "the backend is closed")
        steps = plan(op)
        try:
            call = next(steps)
            while True:
                try:
                    answer = self._answer(call)
                except EchoMQError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as done:
            outcome: A = done.value
            return outcome
        finally:
            steps.close()

    def _answer(self, call: Call[Any]) -> Any:
        if not self._fenced:
            self._pass_fence(call.verb)
        return self._connections.answer(call, self._settings.replicas)

    def _pass_fence(self, verb: str) -> None:
        with self._fence_lock:
            if self._fenced:
                return
            checks = fence(verb, self._settings.wire_version)
            try:
                call = next(checks)
                while True:
                    try:
                        found = self._connections.answer(call)
                    except OutcomeUnknown as lost:
                        # It was the fence's command that got no reply; the verb was not sent.
                        raise NotApplied(verb, lost.reason) from lost
                    except EchoMQError as error:
                        call = checks.throw(error)
                    else:
                        call = checks.send(found)
            except StopIteration:
                self._fenced = True
