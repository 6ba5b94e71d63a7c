"""Tours and samples on a target: they take every step, and a wrong line does not survive them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import echomq_lua
import pytest
from echomq_conformance.exhaustive import run_exhaustive, world
from echomq_conformance.exhaustive.graph import Graph, explore
from echomq_conformance.exhaustive.tour import Tour
from echomq_conformance.harness import Harness
from echomq_conformance.targets import memory, memory_async, valkey

from .faulty import Edit, faulty_memory, target_of


@pytest.fixture(scope="module")
def lives() -> Graph:
    return explore(world("lives"))


@pytest.fixture(scope="module")
def on_valkey() -> Iterator[Harness]:
    with Harness(valkey(), asynchronous=False) as harness:
        yield harness


# --- the order of a tour ----------------------------------------------------------------------


def test_a_tour_takes_every_step_each_from_its_true_state(lives: Graph) -> None:
    taken: set[tuple[int, int]] = set()
    fresh = state = 0
    tour = Tour(lives, seed=1, walk_moves=500)
    for move in tour.moves():
        state = 0 if move.starts else state
        assert move.state == state, "a walk goes on where it was"
        assert move.leads_to == lives.leads[state][move.choice]
        assert move.fresh == ((state, move.choice) not in taken)
        taken.add((state, move.choice))
        fresh += move.fresh
        state = move.leads_to
    assert len(taken) == fresh == tour.done == tour.pairs == lives.pairs


def test_a_tour_is_the_same_again_for_the_same_seed(lives: Graph) -> None:
    def route(seed: int) -> list[tuple[int, int]]:
        return [(move.state, move.choice) for move in Tour(lives, seed=seed).moves()]

    assert route(7) == route(7)
    assert route(7) != route(8)


def test_a_tour_of_a_world_with_no_way_back_starts_again() -> None:
    """With the verbs of core alone the dead stay: only a new queue leads to the other states."""
    graph = explore(world("lives").claimed(frozenset({"core"})))
    tour = Tour(graph, seed=1)
    starts = sum(move.starts for move in tour.moves())
    assert tour.done == graph.pairs
    assert starts > 2


def test_the_first_share_of_a_tour_comes_from_all_over_the_world(lives: Graph) -> None:
    tour = Tour(lives, seed=1, first_share=0.2)
    met: set[int] = set()
    for move in tour.moves():
        if tour.done > lives.pairs * 0.3:
            break
        met.add(move.state)
    assert len(met) > 0.9 * len(lives.states)


# --- targets that are right -------------------------------------------------------------------


@pytest.mark.parametrize("face", ["memory", "memory-async"])
def test_memory_takes_every_step_of_one_job(face: str) -> None:
    asynchronous = face == "memory-async"
    with Harness(
        memory_async() if asynchronous else memory(), asynchronous=asynchronous
    ) as harness:
        run = run_exhaustive(harness, world_name="lives", seed=1, seconds=60)
    assert run.failure is None
    assert (run.states, run.done, run.pairs, run.fraction) == (104, 5_840, 5_840, 1.0)


def test_valkey_takes_every_step_of_one_job(on_valkey: Harness) -> None:
    run = run_exhaustive(on_valkey, world_name="lives", seed=1, seconds=60)
    assert run.failure is None
    assert run.fraction == 1.0


@pytest.mark.parametrize("name", ["three", "lossy"])
def test_valkey_walks_through_a_large_world(on_valkey: Harness, name: str) -> None:
    run = run_exhaustive(on_valkey, world_name=name, seed=1, seconds=1.0)
    assert run.failure is None
    assert run.fraction is None, "how large such a world is nobody knows"
    assert run.done > 100


def test_a_tour_that_runs_out_of_time_says_what_it_did(on_valkey: Harness) -> None:
    run = run_exhaustive(on_valkey, world_name="lives", seed=1, seconds=0.2)
    assert run.failure is None
    assert run.fraction is not None
    assert 0 < run.fraction < 1
    assert "lives: 104 states" in str(run)


# --- faults -----------------------------------------------------------------------------------

FAULTS_OF_MEMORY = (
    Edit(
        "old_token_settles",
        "settling.py",
        "return token == row.attempts and q.standing(row) is JobState.ACTIVE",
        "return token <= row.attempts and q.standing(row) is JobState.ACTIVE",
        ("TOKEN-1",),
    ),
    Edit(
        "late_complete_without_a_mark",
        "settling.py",
        "elif token == row.attempts and row.lapsed and",
        "elif token == row.attempts and",
        ("TOKEN-1", "TOKEN-2"),
    ),
    Edit(
        "release_uses_up_the_attempt",
        "settling.py",
        "    row.forgiven += 1\n",
        "",
        ("FIELD-1", "VERB-release"),
    ),
    Edit(
        "forced_remove_keeps_the_slot",
        "operators.py",
        "                return RemoveVerdict.ACTIVE\n            q.leave_active(row)",
        "                return RemoveVerdict.ACTIVE\n            q.active.discard(row.id)",
        ("BOOK-1", "VERB-remove"),
    ),
)


@pytest.mark.parametrize("edit", FAULTS_OF_MEMORY, ids=lambda edit: edit.name)
def test_a_fault_in_memory_does_not_survive_a_tour(edit: Edit, tmp_path: Path) -> None:
    with (
        faulty_memory(edit, tmp_path) as package,
        Harness(target_of(package), asynchronous=False) as harness,
    ):
        run = run_exhaustive(harness, world_name="lives", seed=1, seconds=60)
    assert run.failure is not None
    assert run.failure.violation.clause in edit.clauses, str(run.failure.violation)
    assert len(run.failure.script) <= 6, "the script is as short as the fault allows"
    compile(run.failure.program, "repro.py", "exec")
    assert run.failure.violation.clause in run.failure.program


FAULTS_OF_SCRIPTS = (
    Edit(
        "reap_without_a_mark",
        "include/reap_jobs.lua",
        "'state', 'pending', 'lapsed', '1'",
        "'state', 'pending'",
        ("FIELD-1", "TOKEN-2"),
    ),
    Edit(
        "release_keeps_the_book",
        "release.lua",
        "  book_out(g)\n",
        "",
        ("BOOK-1",),
    ),
    Edit(
        "write_before_the_check",
        "release.lua",
        "if row[2] ~= 'active' then\n",
        "call('HSET', key, 'forgiven', counted(row[4]) + 1)\nif row[2] ~= 'active' then\n",
        ("FIELD-1", "VERB-release"),
    ),
    Edit(
        "second_token",
        "include/token.lua",
        "  if wakes == 0 then\n",
        "  do\n",
        ("WAKE-1",),
    ),
)


@pytest.mark.parametrize("edit", FAULTS_OF_SCRIPTS, ids=lambda edit: edit.name)
def test_a_fault_in_a_script_does_not_survive_a_tour(
    edit: Edit, on_valkey: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = echomq_lua._read
    monkeypatch.setattr(
        echomq_lua,
        "_read",
        lambda path: edit.apply(real(path)) if path == edit.file else real(path),
    )
    _forget_scripts()
    try:
        run = run_exhaustive(on_valkey, world_name="lives", seed=1, seconds=30)
    finally:
        monkeypatch.undo()
        _forget_scripts()
    assert run.failure is not None
    assert run.failure.violation.clause in edit.clauses, str(run.failure.violation)
    assert len(run.failure.script) <= 8


def _forget_scripts() -> None:
    for cached in (echomq_lua.load, echomq_lua.sha1, echomq_lua.header):
        cached.cache_clear()


def test_a_row_that_is_lost_needs_the_recount(tmp_path: Path) -> None:
    """BOOK-1: a sweep that drops a ghost and does not recount leaves a slot taken for ever."""
    edit = Edit(
        "no_recount",
        "sweeps.py",
        "    if dropped:\n        q.recount()\n",
        "",
        ("BOOK-1",),
    )
    with (
        faulty_memory(edit, tmp_path) as package,
        Harness(target_of(package), asynchronous=False) as harness,
    ):
        run = run_exhaustive(harness, world_name="lossy", seed=1, seconds=20)
    assert run.failure is not None
    assert run.failure.violation.clause == "BOOK-1"
    assert len(run.failure.script) <= 8
