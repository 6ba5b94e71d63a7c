"""Both faces of the backend under test with the same plain verbs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, cast

from echomq_valkey import AsyncValkeyBackend, ValkeyBackend

from echomq_core import FullBackend

__all__ = ["Opener", "opened"]

Opener = Callable[..., FullBackend]


class Awaited:
    """The verbs of an async backend as plain calls on a loop of its own."""

    def __init__(self, runner: asyncio.Runner, backend: AsyncValkeyBackend) -> None:
        self._runner = runner
        self._backend = backend

    def __getattr__(self, name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: self._runner.run(
            getattr(self._backend, name)(*args, **kwargs)
        )


@contextmanager
def opened(face: str, url: str, **options: Any) -> Iterator[FullBackend]:
    """A backend of either face with the same plain verbs."""
    if face == "sync":
        with ValkeyBackend.from_url(url, **options) as backend:
            yield backend
        return
    with asyncio.Runner() as runner:
        awaited = Awaited(runner, AsyncValkeyBackend.from_url(url, **options))
        yield cast("FullBackend", awaited)
        awaited.close()
