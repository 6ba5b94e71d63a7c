"""The table of mutants is in order, covers what the kit claims, and the judge tells right from wrong."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest
from echomq_conformance.checks import CHECKS
from echomq_conformance.scenario import load_scenarios

from echomq_core.clauses import CLAUSES

from .breeding import source_of, with_functions, with_model, with_scripts
from .judging import examples_of, judge
from .lua_operators import lua_changes
from .mutant import Edit, EditError, Mutant, edited
from .workers import each_in_a_process
from .zoo import ZOO

# The children do nothing but judge: threads of a test runner are not needed there.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")

WITHOUT: dict[str, str] = {
    "ERR-tree": "the types are those of `echomq_core`, which no backend makes; core tests pin them",
    "CONN-3": "of the async face, whose store or scripts are those that are mutated here",
}
"""Clauses that a check or scenario names and that have no mutant, and why. Clauses that only tests
of the project can show (`checks.elsewhere`) have none here either: the kit does not judge them."""

FEW = (
    "model-reap-to-another-lane",
    "model-extend-revives-a-reaped-job",
    "model-recount-in-reverse",
    "core-a-bool-is-a-number",
    "lua-an-old-token-will-do",
)


def _named(name: str) -> Mutant:
    return next(mutant for mutant in ZOO if mutant.id == name)


def test_ids_are_unique_and_clauses_are_of_the_spec() -> None:
    ids = [mutant.id for mutant in ZOO]
    assert sorted(set(ids)) == sorted(ids)
    assert {mutant.clause for mutant in ZOO} <= set(CLAUSES)
    assert len(ZOO) >= 60


@pytest.mark.parametrize("mutant", ZOO, ids=lambda mutant: mutant.id)
def test_every_edit_matches_exactly_once(mutant: Mutant) -> None:
    assert mutant.edits
    texts = edited(mutant.edits, partial(source_of, mutant.where))
    assert all(text != source_of(mutant.where, file) for file, text in texts.items())


def test_every_clause_that_a_check_or_scenario_names_has_a_mutant_or_a_reason() -> None:
    named = {clause for check in CHECKS for clause in check.clauses}
    named |= {clause for scenario in load_scenarios() for clause in scenario.clauses}
    named = {clause for clause in named if CLAUSES[clause].profile != "prose"}
    with_mutant = {mutant.clause for mutant in ZOO}
    assert named - with_mutant - set(WITHOUT) == set()
    assert with_mutant & set(WITHOUT) == set()
    assert set(WITHOUT) <= named


def test_only_concurrent_mutants_may_pass_the_machine() -> None:
    for mutant in ZOO:
        assert (mutant.killed_by == "concurrent") == (mutant.passes == "machine")


@pytest.mark.parametrize(("old", "times"), [("zebra", 0), ("q.settle", 7)])
def test_an_edit_that_does_not_match_once_stops_the_run(old: str, times: int) -> None:
    read = {"f.py": "q.settle\n" * 7}.__getitem__
    with pytest.raises(EditError, match=f"f.py: matches {times} times"):
        edited((Edit("f.py", old, "x"),), read)


def test_a_function_that_does_not_change_stops_the_run() -> None:
    same = {"checks.py": source_of("core", "checks.py")}
    with pytest.raises(EditError, match="no function changed"), with_functions("echomq_core", same):
        pass


def test_a_few_mutants_are_killed_by_their_clauses() -> None:
    ended = list(each_in_a_process([_named(name) for name in FEW], judge, at_once=2, limit_s=60.0))
    assert {each.job.id for each in ended} == set(FEW)
    for each in ended:
        assert each.result is not None, (each.job.id, each.why)
        assert each.result.killed, (each.job.id, each.result.others)
        assert each.result.caught_by is not None
        assert each.job.clause in each.result.caught_by.clauses


def test_a_copy_without_a_fault_passes() -> None:
    """What catches the mutants is their fault, not how they are bred."""
    with with_model({}) as target:
        assert [item for item in examples_of(target) if item.passed is False] == []


def test_scripts_are_whole_again_afterwards() -> None:
    import echomq_lua

    right = echomq_lua.load("wake")
    with with_scripts({"wake.lua": "#!lua\nreturn 7\n"}):
        assert echomq_lua.load("wake") == "#!lua\nreturn 7\n"
    assert echomq_lua.load("wake") == right


def _die(_: int) -> int:
    import os

    os._exit(3)


def _spin(_: int) -> int:
    while True:
        pass


def _fail(_: int) -> int:
    raise ValueError("no")


@pytest.mark.parametrize(
    ("do", "why"), [(_die, "its process died"), (_spin, "ended after 0 s"), (_fail, "ValueError")]
)
def test_a_mutant_that_dies_or_does_not_end_is_told(do: Callable[[int], int], why: str) -> None:
    (ended,) = each_in_a_process([1], do, at_once=1, limit_s=0.3)
    assert ended.result is None
    assert why in ended.why


def test_lua_changes_leave_comments_and_texts_alone() -> None:
    text = "-- a == b\nlocal x = 'a == b'\nif x == 1 then\n  call('LREM', ring)\nend"
    found = {(change.line, change.operator, change.after) for change in lua_changes("f", text)}
    assert found == {
        (3, "equal", "if x ~= 1 then"),
        (3, "one more", "if x == 2 then"),
        (3, "one less", "if x == 0 then"),
        (3, "always true", "if true then"),
        (3, "always false", "if false then"),
        (4, "dropped", ""),
    }
