"""One private server for the concurrent tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from echomq_valkey import EmbeddedServer


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running
