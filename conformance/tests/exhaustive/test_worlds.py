"""The small worlds on the model alone: what they hold, that every state is right and leads to an end."""

from __future__ import annotations

from pathlib import Path

import pytest
from echomq_conformance.exhaustive import WORLDS, prove, world
from echomq_conformance.exhaustive.__main__ import main
from echomq_conformance.exhaustive.canonical import NOW_MS, canonical
from echomq_conformance.exhaustive.choices import QUEUE, Do
from echomq_conformance.exhaustive.graph import NOWHERE, carry_out, explore
from echomq_conformance.exhaustive.soundness import dead_ends, sample
from echomq_memory import QueueModel

from echomq_core import JobState, ops
from echomq_core.unsupported import all_verbs

from .faulty import Edit, faulty_memory

A = "JOB00000000001"


def test_one_group_two_jobs_every_state_is_right_and_none_is_a_dead_end() -> None:
    """All clauses that predicates and step judges know, in every state and step of the small world."""
    proof = prove(world("one"))
    assert proof.faults == ()
    graph = proof.graph
    assert graph is not None
    assert (len(graph.states), graph.pairs, graph.depth) == (2_176, 163_200, 10)


def test_one_job_with_its_attempts_told_apart_is_right_in_every_state() -> None:
    proof = prove(world("lives"))
    assert proof.faults == ()
    graph = proof.graph
    assert graph is not None
    assert (len(graph.states), graph.pairs) == (104, 5_840)


@pytest.mark.parametrize("name", ["three", "lossy"])
def test_walks_through_a_large_world_meet_no_fault(name: str) -> None:
    faults, steps = sample(world(name), seed=3, steps=1_500)
    assert faults == []
    assert steps == 1_500


def test_every_verb_that_a_queue_has_is_a_step_of_the_small_world() -> None:
    offered = {choice.op.verb for choice in world("one").choices if isinstance(choice, Do)}
    assert offered == set(all_verbs()) - {"check", "snapshot"}


@pytest.mark.parametrize("name", WORLDS)
def test_a_world_offers_each_step_once(name: str) -> None:
    choices = world(name).choices
    assert len(set(choices)) == len(choices)
    assert len({choice.name for choice in choices}) == len(choices)


def test_a_backend_with_core_alone_gets_core_verbs_alone() -> None:
    core = world("one").claimed(frozenset({"core"}))
    verbs = {choice.op.verb for choice in core.choices if isinstance(choice, Do)}
    expected = {"enqueue", "claim", "complete", "retry", "release", "extend", "promote", "reap"}
    assert verbs == expected | {"job", "depth"}
    graph = explore(core)
    assert dead_ends(graph) == [], "the dead may stay dead where nobody can send them back"


def test_states_that_no_verb_can_tell_apart_are_one() -> None:
    """The same story at two times, with other leases, leads to one state; order is kept."""

    def after(start_ms: int, lease_ms: int, *, first: str) -> object:
        model = QueueModel(QUEUE)
        ids = sorted(("JOB00000000001", "JOB00000000002"), reverse=first == "2")
        for job_id in ids:
            model.apply(ops.Enqueue(QUEUE, "a", b"", job_id), start_ms)
            model.apply(ops.Claim(QUEUE, lease_ms), start_ms + 10)
            start_ms += 100
        return canonical(model.freeze(), start_ms, 0)

    assert after(5_000, 300, first="1") == after(90_000, 7_000, first="1")
    assert after(5_000, 300, first="1") != after(5_000, 300, first="2")
    assert after(5_000, 300, first="1") != after(5_000, 20, first="1"), "one lease has passed"


def test_attempts_are_told_apart_up_to_the_bound() -> None:
    def rows(attempts: int, told: int) -> tuple[int, int]:
        model = QueueModel(QUEUE)
        model.apply(ops.Enqueue(QUEUE, "a", b"", A), 0)
        for token in range(1, attempts + 1):
            model.apply(ops.Claim(QUEUE, 10), 0)
            if token == 1:
                model.apply(ops.Release(QUEUE, A, token), 0)
            elif token < attempts:
                model.apply(ops.Retry(QUEUE, A, token, 0, 99, "x"), 0)
                model.apply(ops.Promote(QUEUE, 1), 0)
        row = canonical(model.freeze(), 0, told).rows[0]
        return row.attempts, row.attempts - row.forgiven

    assert rows(1, 2) == (1, 0), "released: one attempt, none that counts"
    assert rows(2, 2) == (2, 1)
    assert rows(5, 2) == (2, 2)
    assert rows(5, 0) == rows(2, 0)


def test_the_model_goes_where_the_graph_says() -> None:
    """A shortest path, walked on one model, ends in the very state that it is the path to."""
    graph = explore(world("lives"))
    for state in range(0, len(graph.states), 7):
        model, now_ms = QueueModel(QUEUE), NOW_MS
        for choice in graph.path_to(state):
            steps = graph.world.choices[choice].steps(model.state.rows, 0)
            assert steps is not None
            _, now_ms = carry_out(model, steps, now_ms)
        assert canonical(model.freeze(), now_ms, 2) == graph.states[state]


def test_a_step_is_left_out_only_where_there_is_no_lower_token() -> None:
    graph = explore(world("lives"))
    for state, row in zip(graph.states, graph.leads, strict=True):
        for choice, lead in zip(graph.world.choices, row, strict=True):
            if lead == NOWHERE:
                assert "low token" in choice.name
                assert not state.rows or state.rows[0].attempts <= 1


FAULTS_OF_STATES = (
    Edit(
        "no_rejoin",
        "settling.py",
        "    q.completed += 1\n    q.settle(row.group)\n",
        "    q.completed += 1\n",
        ("RING-1",),
    ),
    Edit(
        "book_kept_by_reap",
        "sweeps.py",
        "    q.leave_active(row)\n    dies",
        "    q.active.discard(row.id)\n    dies",
        ("BOOK-1",),
    ),
    Edit(
        "late_heartbeat_revives",
        "settling.py",
        "    q.active.add(job_id, deadline_ms)",
        "    q.active.add(job_id, deadline_ms)\n    row.lapsed = True",
        ("FIELD-1",),
    ),
    Edit(
        "one_above_the_limit",
        "turns.py",
        "jobs = min(jobs, limit - q.in_flight.get(group, 0))",
        "jobs = min(jobs, limit - q.in_flight.get(group, 0) + 1)",
        ("BOOK-2",),
    ),
    Edit(
        "promoted_where_nobody_looks",
        "sweeps.py",
        "        q.enter_lane(row)\n        q.settle(row.group)\n    return Swept(returned=len(real), dead=0",
        "        q.enter_lane(row)\n    return Swept(returned=len(real), dead=0",
        ("RING-1", "KEYS-6"),
    ),
    Edit(
        "silent_join",
        "state.py",
        "            self.ring[group] = None\n            self.leave_token()",
        "            self.ring[group] = None",
        ("WAKE-1",),
    ),
)


@pytest.mark.parametrize("edit", FAULTS_OF_STATES, ids=lambda edit: edit.name)
def test_a_fault_in_the_model_is_found_by_the_predicates(edit: Edit, tmp_path: Path) -> None:
    with faulty_memory(edit, tmp_path) as package:
        proof = prove(world("one"), model_class=package.QueueModel, most=1)
    assert proof.faults
    assert {fault.violation.clause for fault in proof.faults} & set(edit.clauses)


def test_a_state_without_a_way_out_is_a_dead_end(tmp_path: Path) -> None:
    """A reprocess that does nothing leaves the dead where they are, and no predicate minds."""
    edit = Edit(
        "reprocess_answers_only",
        "operators.py",
        "    q.dead.discard(row.id)\n    row.last_error = None\n    row.forgiven = row.attempts\n"
        "    q.enter_lane(row)\n",
        "",
        ("KEYS-6",),
    )
    with faulty_memory(edit, tmp_path) as package:
        graph = explore(world("lives"), model_class=package.QueueModel)
    stuck = dead_ends(graph)
    assert stuck
    assert all(graph.states[state].rows[0].state == JobState.DEAD for state in stuck)


def test_the_command_line_prints_what_a_world_holds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lives"]) == 0
    assert "104 states, 5840 steps" in capsys.readouterr().out
    assert main(["nowhere"]) == 2
    assert "no world nowhere" in capsys.readouterr().err
