"""Clauses and what shows them, in both directions."""

from __future__ import annotations

from pathlib import Path

import pytest
from echomq_conformance.branches import BRANCHES
from echomq_conformance.checks import CHECKS, clause
from echomq_conformance.checks.elsewhere import ELSEWHERE
from echomq_conformance.matrix import clause_matrix, shown_by

from echomq_core.clauses import CLAUSES

TESTS = Path(__file__).parents[1]

OF_LATER_TIERS = {"cluster"}
"""Profiles whose clauses are shown by tiers of their own."""


def test_every_clause_that_a_backend_can_show_is_shown() -> None:
    shown = shown_by()
    missing = [
        name
        for name, rule in CLAUSES.items()
        if rule.profile not in {"prose", *OF_LATER_TIERS} and not shown[name]
    ]
    assert missing == []


def test_nothing_names_a_clause_that_is_not_in_the_spec() -> None:
    named = {name for branch in BRANCHES.values() for name in branch.clauses} | set(ELSEWHERE)
    assert named <= set(CLAUSES)


def test_a_check_must_name_a_clause() -> None:
    with pytest.raises(ValueError, match="RING-99"):
        clause("RING-99")
    with pytest.raises(ValueError, match="must name clauses"):
        clause()


def test_checks_have_names_of_their_own() -> None:
    names = [check.name for check in CHECKS]
    assert sorted(set(names)) == sorted(names)


@pytest.mark.parametrize("node", sorted(node for nodes in ELSEWHERE.values() for node in nodes))
def test_a_test_that_shows_a_clause_elsewhere_exists(node: str) -> None:
    path, _, name = node.partition("::")
    assert f"def {name}(" in (TESTS / path).read_text("utf-8")


def test_the_matrix_shows_every_clause() -> None:
    lines = clause_matrix().splitlines()
    heads = [line.split(" ", 1)[0] for line in lines if not line.startswith(" ")]
    assert heads == list(CLAUSES)
