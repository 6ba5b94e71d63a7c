"""Fixtures of the Valkey tests: one private server for all, a fresh queue and a proxy for each."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import uuid4

import echomq_lua
import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import FullBackend

from .faces import Opener, opened
from .interception import Proxy


@pytest.fixture(scope="session")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """A server that a test may restart or kill."""
    with EmbeddedServer() as running:
        yield running


@pytest.fixture
def raw(server: EmbeddedServer) -> Iterator[redis.Redis]:
    """A plain client, past all that is under test; the scripts are loaded."""
    with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
        for name in echomq_lua.names():
            client.script_load(echomq_lua.load(name))
        yield client


@pytest.fixture
def queue() -> str:
    return f"q-{uuid4().hex[:12]}"


@pytest.fixture
def proxy(
    server: EmbeddedServer, raw: redis.Redis, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Proxy]:
    path = Path(tmp_path_factory.mktemp("p")) / "s"
    with Proxy(server.socket_path, path) as running:
        yield running


@pytest.fixture
def direct(server: EmbeddedServer) -> Iterator[ValkeyBackend]:
    with ValkeyBackend.from_url(server.url) as backend:
        yield backend


@pytest.fixture(params=["sync", "async"])
def face(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def open_face(face: str) -> Iterator[Opener]:
    """Open a backend of the face under test; closed at the end of the test."""
    with ExitStack() as stack:

        def opener(url: str, **options: Any) -> FullBackend:
            backend: FullBackend = stack.enter_context(opened(face, url, **options))
            return backend

        yield opener
