"""A backend with one fault must not pass, and the run must name the clause that the fault breaks."""

from __future__ import annotations

import pytest
from echomq_conformance import run_conformance
from echomq_conformance.report import Report, Verdict
from echomq_conformance.run import Budget
from echomq_conformance.targets import memory

from .wrong_backends import FAULTS, Fault, target_with

SMALL = Budget(examples=40, steps=40, tours=1, shrink_s=0.5)


def _failed(report: Report) -> set[str]:
    return {clause.clause for clause in report.clauses if clause.verdict is Verdict.FAILED}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_is_caught_and_its_clause_is_named(fault: Fault) -> None:
    report = run_conformance(target_with(fault), budget=SMALL)
    assert fault.clause in _failed(report), [item.message for item in report.failures]
    assert report.exit_code == 1
    caught_by = {item.kind for item in report.failures}
    if fault.machine:
        assert "machine" in caught_by
    assert all(item.message.split(":")[0] in item.clauses for item in report.failures)


def test_the_right_backend_passes_the_same_run() -> None:
    report = run_conformance(memory(), budget=SMALL)
    assert report.failures == []
    assert _failed(report) == set()
