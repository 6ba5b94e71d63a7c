"""`memory://` URLs: a store of one's own, or one store per name and process."""

from __future__ import annotations

import re
import threading
from functools import partial
from typing import TypeVar

from echomq_core import InvalidArgument, Provider

from .faces import AsyncMemoryBackend, MemoryBackend
from .store import Store

__all__ = ["provider"]

F = TypeVar("F", MemoryBackend, AsyncMemoryBackend)

_URL = re.compile(r"memory://([A-Za-z0-9._-]{0,128})", re.IGNORECASE)

_named: dict[str, Store] = {}
_lock = threading.Lock()


def _open(face: type[F], url: str) -> F:
    found = _URL.fullmatch(url)
    if found is None:
        raise InvalidArgument(
            "url",
            url,
            "a memory URL is memory:// or memory://NAME, NAME up to 128 of A-Z a-z 0-9 . _ -",
            "Drop the rest: user, port, path and query mean nothing here",
        )
    name = found[1]
    if not name:
        return face()
    with _lock:
        store = _named.get(name)
        if store is None:
            store = _named[name] = Store(on_unused=partial(_forget, name))
        return face(store=store)


def _forget(name: str) -> None:
    """The last backend of a named store has closed; unless another was opened since, it is gone."""
    with _lock:
        store = _named.get(name)
        if store is not None and not store.in_use:
            del _named[name]


provider = Provider(
    open=partial(_open, MemoryBackend), open_async=partial(_open, AsyncMemoryBackend)
)
