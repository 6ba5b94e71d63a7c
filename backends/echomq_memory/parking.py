"""Who is parked on which queue, longest first. Everything here runs under the store's lock, but
for the waiting itself."""

from __future__ import annotations

import asyncio
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict

__all__ = ["Parked", "ParkedTask", "ParkedThread", "ParkingLot"]


class Parked(ABC):
    """One parked call. It ends with a token (`granted`), by its backend closing (`closed`), or
    by its own time-out."""

    def __init__(self) -> None:
        self.granted = False
        self.closed = False

    def grant(self) -> bool:
        """Hand it a token; false if nobody can take it any more."""
        self.granted = self._rouse()
        return self.granted

    def release(self) -> None:
        """End it without a token: its backend closed."""
        self.closed = True
        self._rouse()

    @abstractmethod
    def _rouse(self) -> bool:
        """Let the waiting end; false if there is no one left to wait."""


class ParkedThread(Parked):
    """A call that blocks its thread."""

    def __init__(self) -> None:
        super().__init__()
        self._ended = threading.Event()

    def wait(self, timeout_ms: int) -> None:
        """Until roused or `timeout_ms` of real time; never for ever."""
        deadline = time.monotonic() + timeout_ms / 1_000
        while (left := deadline - time.monotonic()) > 0:
            # One wait may not be as long as a park may: the limit differs by platform.
            if self._ended.wait(min(left, threading.TIMEOUT_MAX)):
                return

    def _rouse(self) -> bool:
        self._ended.set()
        return True


class ParkedTask(Parked):
    """A call that suspends its task; it may be roused from any thread."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._ended: asyncio.Future[None] = self._loop.create_future()

    async def wait(self, timeout_ms: int) -> None:
        """Until roused or `timeout_ms` of real time."""
        await asyncio.wait([self._ended], timeout=timeout_ms / 1_000)

    def _rouse(self) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._end)
        except RuntimeError:  # its loop was closed with the call still parked
            return False
        return True

    def _end(self) -> None:
        if not self._ended.done():
            self._ended.set_result(None)


class ParkingLot:
    """The parked calls of every queue, in the order in which they came."""

    def __init__(self) -> None:
        self._waiting: dict[str, OrderedDict[Parked, object]] = {}

    def add(self, queue: str, session: object, parked: Parked) -> None:
        self._waiting.setdefault(queue, OrderedDict())[parked] = session

    def remove(self, queue: str, parked: Parked) -> None:
        """Forget a parked call, if it is still here."""
        waiting = self._waiting.get(queue)
        if waiting is not None:
            waiting.pop(parked, None)
            if not waiting:
                del self._waiting[queue]

    def waiting(self, queue: str) -> int:
        return len(self._waiting.get(queue, ()))

    def grant(self, queue: str) -> bool:
        """One token to the longest parked that can take it; false if there is none."""
        while queue in self._waiting:
            parked = next(iter(self._waiting[queue]))
            self.remove(queue, parked)
            if parked.grant():
                return True
        return False

    def release(self, session: object) -> None:
        """End every parked call of a session."""
        for queue, waiting in list(self._waiting.items()):
            for parked in [parked for parked, owner in waiting.items() if owner is session]:
                self.remove(queue, parked)
                parked.release()
