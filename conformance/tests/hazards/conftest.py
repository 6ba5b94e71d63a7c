"""Both reference backends, each as a store that several threads share."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
from echomq_memory import MemoryBackend
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import FullBackend


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture(params=["memory", "valkey"])
def backend(request: pytest.FixtureRequest) -> Iterator[FullBackend]:
    if request.param == "memory":
        with MemoryBackend() as memory:
            yield memory
        return
    server: EmbeddedServer = request.getfixturevalue("server")
    with ValkeyBackend.from_url(server.url) as valkey:
        yield valkey


@pytest.fixture
def queue() -> str:
    return f"h-{uuid4().hex[:12]}"
