"""The concurrent check as a whole: it passes atomic backends, and catches those in two commands.

Each wrong backend here answers and leaves exactly what the clauses say when one client calls at a
time, so nothing sequential can see its fault.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from echomq_conformance import targets
from echomq_conformance.concurrent import run_programs
from echomq_conformance.history import History
from echomq_conformance.linearize import Verdict, search
from echomq_conformance.programs import Program, make_program
from echomq_conformance.target import Target
from echomq_valkey import EmbeddedServer

from .split_backends import (
    LocklessMemory,
    SplitMemory,
    async_memory_target,
    memory_target,
    split_valkey_target,
)

SEED = 7

WRONG: dict[str, Callable[[], Target]] = {
    "claim and complete in two halves, threads": lambda: memory_target(SplitMemory),
    "no lock, threads": lambda: memory_target(LocklessMemory),
    "claim in two halves, tasks": async_memory_target,
}

RIGHT: dict[str, tuple[Callable[[], Target], int]] = {
    "memory, threads": (targets.memory, 40),
    "memory, tasks": (targets.memory_async, 40),
    "valkey, threads and processes": (targets.valkey, 8),
    "valkey, tasks and processes": (targets.valkey_async, 8),
}


@pytest.mark.parametrize("make", WRONG.values(), ids=WRONG)
def test_verb_atomic_two_commands_are_caught(make: Callable[[], Target]) -> None:
    """The same programs pass with one branch and fail with several; the history is the proof."""
    alone = run_programs(make(), seed=SEED, programs=40, repeats=1, branches=1)
    assert alone.outcome == "passed"
    found = run_programs(make(), seed=SEED, programs=40)
    assert found.outcome == "failed"
    assert [violation.clause for violation in found.violations] == ["VERB-atomic"]
    saved = History.from_json(found.exhibits[0].content)
    assert search(saved).verdict is Verdict.ILLEGAL
    assert len(saved.operations) <= 12, "a program of a few operations shows it"


def test_verb_atomic_a_claim_of_two_scripts_is_caught(server: EmbeddedServer) -> None:
    """On a real server: threads and processes, each with a connection of its own."""
    target = split_valkey_target(server)
    alone = run_programs(target, seed=SEED, programs=30, repeats=1, branches=1)
    assert alone.outcome == "passed"
    for kind in ("threads", "processes"):
        found = run_programs(target, seed=SEED, programs=40, kinds=(kind,))
        assert found.outcome == "failed", kind
        assert "claim" in found.violations[0].where


@pytest.mark.parametrize(("make", "programs"), RIGHT.values(), ids=RIGHT)
def test_verb_atomic_one_step_verbs_pass(make: Callable[[], Target], programs: int) -> None:
    """Nothing is refused, nothing is left undecided, and operations did overlap."""
    found = run_programs(make(), seed=SEED, programs=programs)
    assert found.outcome == "passed", str(found)
    assert found.statistics["overlapping pairs"] > 100
    assert found.statistics["operations per minute"] > 5_000


def test_conn_3_cancelled_calls_are_unknown_outcomes() -> None:
    """Tasks whose calls are cancelled leave histories that still have an order."""
    found = run_programs(targets.memory_async(), seed=SEED, programs=40)
    assert found.statistics["unknown outcomes"] > 10
    assert found.outcome == "passed"


def test_nothing_at_once_is_not_a_pass() -> None:
    """A run in which no two operations overlapped has shown nothing."""
    found = run_programs(targets.memory(), seed=SEED, programs=0)
    assert found.outcome == "not exercised"


def test_a_search_that_gave_up_is_not_a_pass() -> None:
    """Nothing was refused, but nothing was decided either."""
    found = run_programs(targets.memory(), seed=SEED, programs=2, nodes=1)
    assert found.outcome == "inconclusive"
    assert "VERB-atomic: the search gave up on 20 of 20 histories" in found.open_questions


def test_programs_come_from_the_seed_alone() -> None:
    """The same seed makes the same program; another one does not."""
    everything = frozenset({"core", "control", "bulk", "wake"})
    assert make_program(Random(1), everything) == make_program(Random(1), everything)
    assert make_program(Random(1), everything) != make_program(Random(2), everything)


def test_programs_use_the_verbs_of_the_claimed_profiles_alone() -> None:
    """A backend of `core` is never asked for more."""
    core = {"enqueue", "claim", "complete", "retry", "release", "extend", "promote", "reap"}
    core |= {"job", "depth", "snapshot"}
    seen = {verb for seed in range(200) for verb in _verbs(make_program(Random(seed), _CORE))}
    assert seen == core


_CORE = frozenset({"core"})


def _verbs(program: Program) -> set[str]:
    moves = [*program.prefix, *(move for branch in program.branches for move in branch)]
    return {move.op.verb for move in moves}
