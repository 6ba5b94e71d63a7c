"""A private server, and what it ran inside a script."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend

from .watching import Watch


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture(scope="session")
def backend(server: EmbeddedServer) -> Iterator[ValkeyBackend]:
    with ValkeyBackend.from_url(server.url) as opened:
        yield opened


@pytest.fixture
def raw(server: EmbeddedServer) -> Iterator[redis.Redis]:
    with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
        yield client


@pytest.fixture
def watch(raw: redis.Redis) -> Watch:
    return Watch(raw)


@pytest.fixture
def queue() -> str:
    return f"l-{uuid4().hex[:12]}"
