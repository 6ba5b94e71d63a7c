"""One run of the kit per target, then one test per clause that judges it."""

from __future__ import annotations

import pytest

from echomq_core.clauses import CLAUSES

from ..report import NOT_TO_SHOW, Report, Verdict
from ..run import run_conformance
from ..target import Target

__all__ = ["echomq_report", "test_clause", "test_nothing_failed"]


@pytest.fixture(scope="session")
def echomq_report(echomq_target: Target, pytestconfig: pytest.Config) -> Report:
    """The report of one run on the target."""
    return run_conformance(
        echomq_target,
        budget=pytestconfig.getoption("--echomq-budget"),
        seed=pytestconfig.getoption("--echomq-seed"),
    )


@pytest.mark.parametrize("clause", list(CLAUSES))
def test_clause(echomq_report: Report, clause: str, request: pytest.FixtureRequest) -> None:
    """The clause passed; what the target does not claim, and what a backend alone cannot show, is
    skipped with its verdict as the reason."""
    found = next(item for item in echomq_report.clauses if item.clause == clause)
    # As `record_property` does, which warns under JUnit's default family; warnings may be errors.
    request.node.user_properties += [("clause", clause), ("verdict", str(found.verdict))]
    if found.verdict in NOT_TO_SHOW:
        pytest.skip(str(found.verdict))
    told = "; ".join(found.notes)
    assert found.verdict is Verdict.PASSED, f"{clause}: {found.verdict}: {told}"


def test_nothing_failed(echomq_report: Report) -> None:
    """No check, scenario or machine found a fault; each message is enough to find it."""
    failures = [f"{item.message}\n{item.program}" for item in echomq_report.failures]
    assert not failures, "\n".join(failures) + f"\nagain: {echomq_report.replay}"
