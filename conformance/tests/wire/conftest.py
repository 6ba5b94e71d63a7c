"""A private server and a raw client for tests of the bytes under the verbs."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend

from .raw import Raw


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture(scope="session")
def backend(server: EmbeddedServer) -> Iterator[ValkeyBackend]:
    with ValkeyBackend.from_url(server.url) as opened:
        yield opened


@pytest.fixture
def raw(server: EmbeddedServer) -> Iterator[Raw]:
    with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
        yield Raw(client, f"w-{uuid4().hex[:12]}")
