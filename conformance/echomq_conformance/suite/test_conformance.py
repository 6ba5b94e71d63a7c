"""One run of the kit per target, then one test per clause that judges it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from echomq_core.clauses import CLAUSES

from ..report import Report, Verdict
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
def test_clause(
    echomq_report: Report, clause: str, record_property: Callable[[str, object], None]
) -> None:
    """The clause passed; what the target does not claim, and what a backend alone cannot show, is
    skipped with its verdict as the reason."""
    found = next(item for item in echomq_report.clauses if item.clause == clause)
    record_property("clause", clause)
    record_property("verdict", str(found.verdict))
    if found.verdict in (Verdict.NOT_CLAIMED, Verdict.PROSE, Verdict.ELSEWHERE):
        pytest.skip(str(found.verdict))
    told = "; ".join(found.notes)
    assert found.verdict is Verdict.PASSED, f"{clause}: {found.verdict}: {told}"


def test_nothing_failed(echomq_report: Report) -> None:
    """No check, scenario or machine found a fault; each message is enough to find it."""
    failures = [f"{item.message}\n{item.program}" for item in echomq_report.failures]
    assert not failures, "\n".join(failures) + f"\nagain: {echomq_report.replay}"
