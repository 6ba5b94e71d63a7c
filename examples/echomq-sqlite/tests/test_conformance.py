"""The conformance suite, whole, on the SQLite backend."""

import pytest
from echomq_conformance.suite import *  # noqa: F403
from echomq_conformance.target import Target
from echomq_sqlite.target import make_target


@pytest.fixture(scope="session")
def echomq_target() -> Target:
    return make_target()
