"""One green and one red report, each from a small run."""

from __future__ import annotations

import pytest
from echomq_conformance.report import Report
from echomq_conformance.run import run_conformance
from echomq_conformance.target import find_target

from . import targets


@pytest.fixture(scope="session")
def green() -> Report:
    """Of the memory backend. The run is small, so rare branches may be left unreached."""
    return run_conformance(find_target(targets.address(targets.right)), budget=targets.SMALL)


@pytest.fixture(scope="session")
def red() -> Report:
    """Of a backend whose lanes rejoin at the head."""
    return run_conformance(
        find_target(targets.address(targets.joins_at_the_head)), budget=targets.SMALL
    )
