"""What the entry points of `echomq.backends` name: the schemes of real and of embedded servers."""

from __future__ import annotations

from echomq_core.registry import Provider

from .backend import ValkeyBackend
from .backend_async import AsyncValkeyBackend

__all__ = ["server"]

server = Provider(open=ValkeyBackend.from_url, open_async=AsyncValkeyBackend.from_url)
