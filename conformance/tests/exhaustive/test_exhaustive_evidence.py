"""The exhaustive tier in a report: what a walked world speaks for, and what a fault leaves unsaid."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from echomq_conformance.exhaustive import exhaustive_evidence
from echomq_conformance.harness import Harness
from echomq_conformance.targets import memory

from echomq_core.clauses import CLAUSES

from .faulty import Edit, faulty_memory, target_of

PLAN = (("lives", 30.0), ("lossy", 0.3))


def test_each_world_is_evidence_for_what_it_offers() -> None:
    with Harness(memory(), asynchronous=False) as harness:
        lives, lossy = exhaustive_evidence(harness, PLAN, 1)
    assert (lives.name, lives.passed, lossy.passed) == ("world lives (sync)", True, True)
    assert "5840 of 5840 (100.0%)" in lives.message
    assert {"TOKEN-2", "RING-1", "VERB-retry", "VERB-fsck"} <= set(lives.clauses)
    assert "GHOST-1" not in lives.clauses
    assert "GHOST-1" in lossy.clauses


def test_a_backend_that_claims_less_is_not_credited_with_more() -> None:
    target = replace(memory(), claims=frozenset({"core"}))
    with Harness(target, asynchronous=False) as harness:
        (lives,) = exhaustive_evidence(harness, PLAN[:1], 1)
    assert lives.passed
    assert "VERB-retry" in lives.clauses
    assert {CLAUSES[clause].profile for clause in lives.clauses} == {"core"}


def test_worlds_after_a_fault_show_nothing(tmp_path: Path) -> None:
    edit = Edit("no_mark", "sweeps.py", "        row.lapsed = True\n", "", ("FIELD-1",))
    with (
        faulty_memory(edit, tmp_path) as package,
        Harness(target_of(package), asynchronous=False) as harness,
    ):
        found = list(exhaustive_evidence(harness, PLAN, 1, shrink_s=4.0))
    broken, rest, later = found
    assert (broken.passed, rest.passed, later.passed) == (False, None, None)
    assert set(broken.clauses) <= {"FIELD-1", "TOKEN-2", "TOKEN-1"}
    assert broken.message.startswith(broken.clauses[0])
    assert "backend.reap(" in broken.program
    assert not set(broken.clauses) & set(rest.clauses)
    assert later.name == "world lossy (sync)"
