"""What the entry points of `echomq.backends` name: the schemes of real and of embedded servers."""

from __future__ import annotations

from echomq_core.registry import Provider

from .backend import ValkeyBackend
from .backend_async import AsyncValkeyBackend
from .embedded import find_binary
from .embedded_backends import AsyncEmbeddedBackend, EmbeddedBackend

__all__ = ["embedded", "server"]


def embedded() -> Provider:
    """`embedded://` and `embedded-cluster://`.

    Raises `MissingExtra`, at opening rather than at the first verb.
    """
    find_binary()
    return Provider(open=EmbeddedBackend.from_url, open_async=AsyncEmbeddedBackend.from_url)


server = Provider(open=ValkeyBackend.from_url, open_async=AsyncValkeyBackend.from_url)
