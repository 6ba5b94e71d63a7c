"""Fixtures of the hostile servers: each test starts the one that it maltreats."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, cast
from uuid import uuid4

import pytest
import redis
from echomq_valkey import EmbeddedServer

from echomq_core import FullBackend

from ..valkey.faces import Opener, opened

Start = Callable[..., EmbeddedServer]


@pytest.fixture
def queue() -> str:
    return f"q-{uuid4().hex[:12]}"


@pytest.fixture(params=["sync", "async"])
def face(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened_here:
        yield opened_here


@pytest.fixture
def start(stack: ExitStack) -> Start:
    """Start a server with these options; ended after the test."""
    return lambda *args: stack.enter_context(EmbeddedServer(args=args))


@pytest.fixture
def open_face(face: str, stack: ExitStack) -> Opener:
    """Open a backend of the face under test; closed at the end of the test."""

    def opener(url: str, **options: Any) -> FullBackend:
        return stack.enter_context(opened(face, url, **options))

    return opener


@pytest.fixture
def admin(stack: ExitStack) -> Callable[[EmbeddedServer], redis.Redis]:
    """A plain client of a server, past all that is under test."""

    def of(server: EmbeddedServer) -> redis.Redis:
        return cast(
            "redis.Redis",
            stack.enter_context(redis.Redis(unix_socket_path=str(server.socket_path))),
        )

    return of
