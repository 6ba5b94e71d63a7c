"""Fairness, concurrency and death in a report: what is shown, what is broken, what is left open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from echomq_conformance import targets
from echomq_conformance.crowds import crowd_evidence
from echomq_conformance.report import Verdict
from echomq_conformance.run import Budget, run_conformance
from echomq_conformance.target import Clock

from echomq_core import Backend

from .split_backends import SplitMemory, memory_target

SMALL = Budget(examples=10, steps=40, tours=1, crowds="quick")


def test_a_breach_stands_against_its_clause_with_its_picture() -> None:
    """VERB-atomic is broken; CONN-8, which the same run was to show, is left open."""
    broken, open_one = [
        item for item in crowd_evidence(memory_target(SplitMemory), 1, "quick") if not item.passed
    ]
    assert (broken.clauses, broken.passed) == (("VERB-atomic",), False)
    assert broken.message.startswith("VERB-atomic: ")
    assert "client 1" in broken.program
    assert (open_one.clauses, open_one.passed) == (("CONN-8",), None)
    assert open_one.message == "ended at a fault"


def test_only_what_is_claimed_is_run() -> None:
    """`core` alone asks for fairness, and BOOK-2 needs limits, which are of `control`."""
    target = replace(targets.memory(), claims=frozenset({"core"}))
    (only,) = crowd_evidence(target, 1, "quick")
    assert (only.name, only.clauses, only.passed) == ("fairness", ("RING-4", "VERB-turn"), True)


def test_a_target_that_cannot_be_opened_is_a_finding() -> None:
    """What it raises is told, and comes out nowhere; what the crowd else speaks for stays open."""

    @contextmanager
    def broken(clock: Clock | None) -> Iterator[Backend]:
        raise OSError("no such store")
        yield

    found = list(crowd_evidence(replace(targets.memory(), open=broken), 1, "quick"))
    assert [(item.name, item.passed) for item in found] == [
        ("fairness", False),
        ("fairness", None),
        ("concurrent", False),
        ("concurrent", None),
    ]
    assert "RING-4: fairness could not go on: OSError('no such store')" in found[0].message


def test_the_report_fails_a_backend_that_only_a_crowd_can_refuse() -> None:
    """Scenarios, checks and the machine pass it; the clause is named, with its verdict."""
    report = run_conformance(memory_target(SplitMemory), budget=SMALL)
    verdicts = {clause.clause: clause.verdict for clause in report.clauses}
    assert verdicts["VERB-atomic"] is Verdict.FAILED
    assert verdicts["CONN-8"] is Verdict.PARTIAL
    assert verdicts["LOOP-7"] is Verdict.NOT_CLAIMED
    assert [item.kind for item in report.failures] == ["crowd"]
