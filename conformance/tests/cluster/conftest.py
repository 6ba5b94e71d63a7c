"""Fixtures of the cluster tests: one private cluster for all, and one whose nodes may be killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
from echomq_valkey import EmbeddedCluster, ValkeyBackend, cluster_connections
from echomq_valkey import cluster_connections_async as async_edge
from echomq_valkey.conversation import converse
from echomq_valkey.pacing import pauses

from echomq_core import FullBackend

from ..valkey.faces import Opener, opened


@pytest.fixture(scope="session")
def cluster() -> Iterator[EmbeddedCluster]:
    """No node of it is killed or frozen; slots may move, and primaries hand over."""
    with EmbeddedCluster(node_timeout_ms=3_000) as running:
        yield running


@pytest.fixture(scope="session")
def _mortal() -> Iterator[EmbeddedCluster]:
    with EmbeddedCluster(node_timeout_ms=1_000) as running:
        yield running


@pytest.fixture
def mortal(_mortal: EmbeddedCluster) -> Iterator[EmbeddedCluster]:
    """A cluster whose nodes a test may kill and freeze; mended afterwards."""
    yield _mortal
    for node in _mortal.nodes:
        _mortal.resume(node)
        if not _mortal.runs(node):
            _mortal.restart(node)
    _mortal.wait_until_whole()


@pytest.fixture
def backend(cluster: EmbeddedCluster) -> Iterator[FullBackend]:
    with ValkeyBackend.from_url(cluster.url) as opened_backend:
        yield opened_backend


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


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refusals that pass by themselves are followed up for 10 ms instead of 5 s."""
    hurried = partial(converse, pacing=partial(pauses, 0.01))
    for edge in (cluster_connections, async_edge):
        monkeypatch.setattr(edge, "converse", hurried)
