"""An opened target with what a check needs: fresh queues, time that moves, rows that vanish."""

from __future__ import annotations

import asyncio
import itertools
import secrets
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any, Self, cast

from echomq_memory import ManualClock

from echomq_core import AsyncFullBackend, FullBackend, QueueSnapshot
from echomq_core.ops import Op

from .face import Awaited, Face
from .target import Target

__all__ = ["Harness"]

START_MS = 1_800_000_000_000
"""Where a manual clock starts: after every mint, so that ages are positive."""


class Harness:
    """One target, opened on one face for a whole run. Every check takes a fresh queue name."""

    def __init__(self, target: Target, *, asynchronous: bool) -> None:
        self.target = target
        self.clock = ManualClock(start_ms=START_MS) if target.advance is None else None
        self._face = Face(target, self.clock, asynchronous=asynchronous)
        self._stack = ExitStack()
        self._run = secrets.token_hex(4)
        self._numbers = itertools.count()

    def __enter__(self) -> Self:
        self._stack.enter_context(self._face)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    @property
    def face(self) -> str:
        return "async" if self._face.asynchronous else "sync"

    @property
    def backend(self) -> FullBackend:
        """The backend's verbs as plain calls."""
        return self._face.backend

    @property
    def async_backend(self) -> AsyncFullBackend:
        """The async face itself, for checks that need many tasks; run them on `loop`."""
        return self._face.async_backend

    @property
    def loop(self) -> asyncio.AbstractEventLoop | None:
        """The event loop of the async face."""
        return self._face.loop

    @property
    def has_own_clock(self) -> bool:
        return self.clock is None

    @contextmanager
    def another(self) -> Iterator[FullBackend]:
        """One more backend over the store that is open, as another client would have it."""
        if self.loop is None:
            assert self.target.peer is not None
            with self.target.peer()() as backend:
                yield cast("FullBackend", backend)
            return
        assert self.target.peer_async is not None
        manager = self.target.peer_async()()
        opened = self.loop.run_until_complete(manager.__aenter__())
        try:
            yield cast("FullBackend", Awaited(opened, self.loop))
        finally:
            self.loop.run_until_complete(manager.__aexit__(None, None, None))

    def perform(self, op: Op[Any]) -> Any:
        return self._face.perform(op)

    def fresh_queue(self, label: str = "q") -> str:
        """A queue name that nobody used before: isolation without flushing the store."""
        return f"t-{self._run}-{next(self._numbers)}-{label}"

    def snapshot(self, queue: str) -> QueueSnapshot:
        return self.backend.snapshot(queue)

    def now_ms(self, queue: str) -> int:
        """The store's clock."""
        return self.clock.now_ms() if self.clock is not None else self.snapshot(queue).now_ms

    def advance(self, queues: Sequence[str], ms: int) -> None:
        """Let `ms` pass for these queues, without sleeping."""
        if self.clock is not None:
            self.clock.advance(ms)
            return
        assert self.target.advance is not None
        for queue in queues:
            self.target.advance(queue, ms)

    def lose_row(self, queue: str, job_id: str) -> None:
        """Delete a job's row behind the backend's back."""
        self.target.lose_row(queue, job_id)
