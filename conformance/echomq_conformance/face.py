"""One way to call a backend, whichever face it has: async verbs are awaited on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from types import TracebackType
from typing import Any, Self, cast

from echomq_core import AsyncBackend, AsyncFullBackend, FullBackend
from echomq_core.ops import Op

from .target import Clock, Target

__all__ = ["Awaited", "Face", "arguments"]


class Awaited:
    """The verbs of an async backend as plain calls. Nothing is checked here: bad arguments go through."""

    def __init__(self, backend: AsyncBackend, loop: asyncio.AbstractEventLoop) -> None:
        self._backend = backend
        self._loop = loop

    def __getattr__(self, name: str) -> Callable[..., Any]:
        verb = getattr(self._backend, name)

        def call(*args: object, **kwargs: object) -> Any:
            return self._loop.run_until_complete(verb(*args, **kwargs))

        return call


class Face:
    """An opened backend of a target. `backend` has all verbs as plain calls, also on the async face."""

    def __init__(self, target: Target, clock: Clock | None, *, asynchronous: bool) -> None:
        self.asynchronous = asynchronous
        self._target = target
        self._clock = clock
        self._stack = ExitStack()
        self.loop: asyncio.AbstractEventLoop | None = None
        self.backend: FullBackend
        self.async_backend: AsyncFullBackend

    def __enter__(self) -> Self:
        if not self.asynchronous:
            assert self._target.open is not None
            opened = self._stack.enter_context(self._target.open(self._clock))
            self.backend = cast("FullBackend", opened)
            return self
        assert self._target.open_async is not None
        runner = self._stack.enter_context(asyncio.Runner())
        self.loop = loop = runner.get_loop()
        manager = self._target.open_async(self._clock)
        awaited = loop.run_until_complete(manager.__aenter__())
        self._stack.callback(lambda: loop.run_until_complete(manager.__aexit__(None, None, None)))
        self.async_backend = cast("AsyncFullBackend", awaited)
        self.backend = cast("FullBackend", Awaited(awaited, loop))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.close()

    def perform(self, op: Op[Any]) -> Any:
        """Call the verb of an operation through the backend's own method, and answer what it does."""
        return getattr(self.backend, op.verb)(**arguments(op))


def arguments(op: Op[Any]) -> dict[str, Any]:
    """The keyword arguments of the verb call that an operation stands for."""
    return {field.name: getattr(op, field.name) for field in fields(op)}
