"""`embedded://` and `embedded-cluster://`: backends whose servers start at the first verb.

They end with the last backend that uses them.
"""

from __future__ import annotations

import asyncio
import re
import threading
from typing import Self, TypeVar

from echomq_core import InvalidArgument, NotApplied
from echomq_core.ops import Op
from echomq_core.verbs import SyncVerbs
from echomq_core.verbs_async import AsyncVerbs

from .backend import ValkeyBackend
from .backend_async import AsyncValkeyBackend
from .embedded import EmbeddedServer
from .embedded_cluster import EmbeddedCluster
from .forking import renew_in_child

__all__ = ["AsyncEmbeddedBackend", "EmbeddedBackend"]

A = TypeVar("A")

_CLUSTER = "embedded-cluster://"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,128}")

_named: dict[str, _Share] = {}
_lock = threading.RLock()


class _Share:
    """A server or cluster, and the number of open backends that use it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.holders = 0
        cluster = address.startswith(_CLUSTER)
        self.server: EmbeddedServer | EmbeddedCluster = (
            EmbeddedCluster() if cluster else EmbeddedServer()
        )

    @classmethod
    def of(cls, url: str) -> _Share:
        """The share that a URL names, with one holder more; an unnamed one is new."""
        address, name = _address_in(url)
        with _lock:
            share = _named.setdefault(address, cls(address)) if name else cls(address)
            share.holders += 1
            return share

    def leave(self) -> None:
        """One holder less; the last one takes the server with it."""
        with _lock:
            self.holders -= 1
            if self.holders:
                return
            if _named.get(self.address) is self:
                del _named[self.address]
        self.server.stop()

    def url(self) -> str:
        """The address of the server, which is running then."""
        self.server.start()
        return self.server.url


class EmbeddedBackend(SyncVerbs):
    """Queues on a private Valkey: `embedded://`, or `embedded://NAME` to share one in this process.

    `embedded-cluster://` and `embedded-cluster://NAME` are the same with a cluster.
    """

    def __init__(self, share: _Share) -> None:
        self._share = share
        self._inner: ValkeyBackend | None = None
        self._closed = False
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """Called in a forked child, which uses its parent's server."""
        self._opening = threading.Lock()

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Does no I/O: the first verb starts the server. Raises `InvalidArgument`."""
        return cls(_Share.of(url))

    def close(self) -> None:
        """The last backend of a server ends it; idempotent."""
        with self._opening:
            if self._closed:
                return
            self._closed = True
        if self._inner is not None:
            self._inner.close()
        self._share.leave()

    def _perform(self, op: Op[A]) -> A:
        return (self._inner or self._opened(op.verb))._perform(op)

    def _opened(self, verb: str) -> ValkeyBackend:
        with self._opening:
            if self._closed:
                raise NotApplied(verb, "the backend is closed")
            if self._inner is None:
                self._inner = ValkeyBackend.from_url(self._share.url())
            return self._inner


class AsyncEmbeddedBackend(AsyncVerbs):
    """`EmbeddedBackend`, awaited; both may share one server by its name."""

    def __init__(self, share: _Share) -> None:
        self._share = share
        self._inner: AsyncValkeyBackend | None = None
        self._closed = False
        self._opening = asyncio.Lock()

    @classmethod
    def from_url(cls, url: str) -> Self:
        """Does no I/O: the first verb starts the server. Raises `InvalidArgument`."""
        return cls(_Share.of(url))

    async def close(self) -> None:
        """The last backend of a server ends it; idempotent."""
        async with self._opening:
            if self._closed:
                return
            self._closed = True
        if self._inner is not None:
            await self._inner.close()
        await asyncio.to_thread(self._share.leave)

    async def _perform(self, op: Op[A]) -> A:
        return await (self._inner or await self._opened(op.verb))._perform(op)

    async def _opened(self, verb: str) -> AsyncValkeyBackend:
        async with self._opening:
            if self._closed:
                raise NotApplied(verb, "the backend is closed")
            if self._inner is None:
                url = await asyncio.to_thread(self._share.url)
                self._inner = AsyncValkeyBackend.from_url(url)
            return self._inner


def _address_in(url: str) -> tuple[str, str]:
    """The URL with its scheme in lower case, and the name in it."""
    scheme, name = url.split("://", 1)
    if name and not _NAME.fullmatch(name):
        raise InvalidArgument(
            "url",
            url,
            "an embedded server is named by 1 to 128 of A-Z a-z 0-9 . _ -, or not at all",
            "For example embedded:// or embedded://jobs",
        )
    return f"{scheme.lower()}://{name}", name
