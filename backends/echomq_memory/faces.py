"""The two faces of a store: sync for threads, async for tasks."""

from __future__ import annotations

import asyncio
from typing import Protocol, Self, TypeVar, cast

from echomq_core import NotApplied, ops
from echomq_core.verbs import SyncVerbs
from echomq_core.verbs_async import AsyncVerbs

from .clock import Clock
from .parking import Parked, ParkedTask, ParkedThread
from .store import Session, Store

__all__ = ["AsyncMemoryBackend", "MemoryBackend"]

A = TypeVar("A")


class _HasStore(Protocol):
    @property
    def store(self) -> Store: ...


class _Face:
    """A session of a store."""

    def __init__(self, clock: Clock | None = None, *, store: Store | None = None) -> None:
        """A store of its own on `clock` (the system's unless given), or a `store` to share."""
        if clock is not None and store is not None:
            raise ValueError("a store has its own clock: pass clock or store, not both")
        self._store = store or Store(clock)
        self._session: Session = self._store.open_session()

    @classmethod
    def sharing(cls, other: _HasStore) -> Self:
        """Another backend over the same queues, sync or async; each is closed by itself."""
        return cls(store=other.store)

    @property
    def store(self) -> Store:
        """What is shared; with the back door `store.lose_row` for tests."""
        return self._store

    def _perform_now(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Check):
            return cast("A", self._store.check(self._session, op))
        return self._store.perform(self._session, cast("ops.QueueOp[A]", op))

    def _parks(self, op: ops.Park, parked: Parked) -> bool:
        """Whether the call has to wait; if not, `parked.granted` is its answer."""
        parked.granted = self._store.park(self._session, op, parked)
        return not parked.granted and op.timeout_ms > 0

    def _unparked(self, op: ops.Park, parked: Parked) -> bool:
        """The answer after a wait. Raises `NotApplied` if the backend was closed meanwhile."""
        if self._store.unpark(op.queue, parked):
            return True
        if parked.closed:
            raise NotApplied(op.verb, "the backend was closed while this call was parked")
        return False


class MemoryBackend(_Face, SyncVerbs):
    """Every verb on queues in this process, for threads. Nothing outlives the process."""

    def close(self) -> None:
        """No verb of this backend takes effect any more; parked calls raise `NotApplied`."""
        self._store.close_session(self._session)

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Park):
            return cast("A", self._park(op))
        return self._perform_now(op)

    def _park(self, op: ops.Park) -> bool:
        parked = ParkedThread()
        try:
            if not self._parks(op, parked):
                return parked.granted
            parked.wait(op.timeout_ms)
        except BaseException:  # an interrupt must not take a token with it
            self._store.unpark(op.queue, parked, give_back=True)
            raise
        return self._unparked(op, parked)


class AsyncMemoryBackend(_Face, AsyncVerbs):
    """Every verb on queues in this process, for tasks. Nothing outlives the process.

    A verb gives way to other tasks once, before it takes effect: a cancelled one was not applied.
    """

    async def close(self) -> None:
        """No verb of this backend takes effect any more; parked calls raise `NotApplied`."""
        self._store.close_session(self._session)

    async def _perform(self, op: ops.Op[A]) -> A:
        try:
            await asyncio.sleep(0)
            if isinstance(op, ops.Park):
                return cast("A", await self._park(op))
        except asyncio.CancelledError as cancelled:
            cancelled.add_note(f"cancelled in {op.verb}, which was not applied")
            raise
        return self._perform_now(op)

    async def _park(self, op: ops.Park) -> bool:
        parked = ParkedTask()
        if not self._parks(op, parked):
            return parked.granted
        try:
            await parked.wait(op.timeout_ms)
        except asyncio.CancelledError:  # a token granted in this moment must not be lost
            self._store.unpark(op.queue, parked, give_back=True)
            raise
        return self._unparked(op, parked)
