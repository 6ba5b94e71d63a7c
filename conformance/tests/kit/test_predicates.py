"""Each predicate against a good queue and against one made wrong by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
from echomq_conformance.ledger import Ledger
from echomq_conformance.predicates import check_finished, check_snapshot
from echomq_conformance.transitions import Step, check_step

from echomq_core import Empty, EmptyReason, Job, JobRecord, JobState, QueueSnapshot, ops

A, B, C, D = (f"JOB0000000000{letter}" for letter in "ABCD")


def _row(job_id: str, state: JobState, group: str = "g", attempts: int = 0) -> JobRecord:
    return JobRecord(job_id, group, state, attempts, b"")


GOOD = QueueSnapshot(
    now_ms=1_000,
    paused=False,
    ring=("g",),
    lanes={"g": (A,)},
    active={B: 5_000},
    schedule={C: 9_000},
    dead=(D,),
    jobs={
        A: _row(A, JobState.PENDING),
        B: _row(B, JobState.ACTIVE, attempts=1),
        C: _row(C, JobState.SCHEDULED),
        D: _row(D, JobState.DEAD, attempts=1),
    },
    in_flight={"g": 1},
    limits={"g": 2},
    completed=1,
    failed=1,
    wakes=1,
)


def _ledger() -> Ledger:
    ledger = Ledger()
    ledger.admitted, ledger.completed, ledger.failed = 5, 1, 1
    return ledger


def _without(job_id: str) -> dict[str, JobRecord]:
    return {key: row for key, row in GOOD.jobs.items() if key != job_id}


WRONG = {
    "a row without its entry": (replace(GOOD, dead=()), "STATE-1"),
    "an entry in two places": (replace(GOOD, dead=(A, D)), "STATE-1"),
    "an entry left in another lane": (
        replace(GOOD, lanes={"g": (A,), "h": (A,)}, ring=("g", "h")),
        "STATE-1",
    ),
    "a row that vanished": (replace(GOOD, dead=(), jobs=_without(D)), "STATE-2"),
    "an unknown state": (
        replace(GOOD, jobs={**GOOD.jobs, A: replace(GOOD.jobs[A], state="waiting")}),
        "STATE-1",
    ),
    "a total of completed too many": (replace(GOOD, completed=2), "STATE-2"),
    "a failure that was not counted": (replace(GOOD, failed=0), "FIELD-1"),
    "a book too high": (replace(GOOD, in_flight={"g": 2}, ring=()), "BOOK-1"),
    "a book too low": (replace(GOOD, in_flight={}), "BOOK-1"),
    "a book of another group": (replace(GOOD, in_flight={"g": 1, "h": 1}), "BOOK-1"),
    "a book of zero": (replace(GOOD, in_flight={"g": 1, "h": 0}), "BOOK-1"),
    "a serviceable lane off the ring": (replace(GOOD, ring=()), "RING-1"),
    "a group twice on the ring": (replace(GOOD, ring=("g", "g")), "RING-1"),
    "an empty lane on the ring": (replace(GOOD, ring=("g", "h")), "RING-1"),
    "a full lane on the ring": (replace(GOOD, limits={"g": 1}), "RING-1"),
    "a paused lane on the ring": (replace(GOOD, paused_groups=frozenset("g")), "RING-1"),
    "a lane out of order": (
        replace(
            GOOD,
            lanes={"g": (C, A)},
            schedule={},
            jobs={**GOOD.jobs, C: _row(C, JobState.PENDING)},
        ),
        "KEYS-4",
    ),
}


def test_a_good_queue_has_no_violation() -> None:
    assert check_snapshot(GOOD, _ledger()) == []


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_queue_names_its_clause(name: str) -> None:
    snapshot, clause = WRONG[name]
    assert clause in {violation.clause for violation in check_snapshot(snapshot, _ledger())}


def test_book_1_a_lost_active_job_may_be_counted_until_somebody_notices() -> None:
    ledger = _ledger()
    ledger.lose(GOOD, B)
    after = replace(GOOD, jobs=_without(B))
    assert check_snapshot(after, ledger) == []
    ledger.record(ops.Reap("q", 10), _swept(dropped=1), after)
    violations = check_snapshot(replace(after, active={}), ledger)
    assert [violation.clause for violation in violations] == ["BOOK-1"]


def _swept(dropped: int) -> object:
    from echomq_core import Swept

    return Swept(0, 0, dropped)


def test_keys_6_a_finished_queue_is_empty() -> None:
    settings = QueueSnapshot(1, False, limits={"g": 1}, completed=3, wakes=1)
    assert check_finished(settings) == []
    left = check_finished(replace(settings, in_flight={"g": 1}, ring=("g",)))
    assert [violation.where for violation in left] == [
        "ring of a finished queue",
        "in_flight of a finished queue",
    ]


LEASED = Job(A, "g", b"", 1, 1, 6_000)
CLAIMED = replace(
    GOOD,
    ring=(),
    lanes={},
    active={A: 6_000, B: 5_000},
    jobs={**GOOD.jobs, A: _row(A, JobState.ACTIVE, attempts=1)},
    in_flight={"g": 2},
)
CLAIM = ops.Claim("q", 5_000)


def test_a_right_claim_has_no_violation() -> None:
    assert check_step(Step(CLAIM, LEASED, GOOD, CLAIMED)) == []


def test_ring_2_a_claim_of_another_job_than_the_oldest_of_the_head_lane() -> None:
    step = Step(CLAIM, Empty(EmptyReason.GHOST), GOOD, GOOD)
    assert [violation.clause for violation in check_step(step)] == ["RING-2"]


def test_ring_2_the_head_must_go_to_the_tail() -> None:
    before = replace(GOOD, ring=("g", "h"), lanes={"g": (A, C), "h": (D,)})
    rows = {A: JobState.PENDING, C: JobState.PENDING, D: JobState.PENDING, B: JobState.ACTIVE}
    before = replace(
        before,
        jobs={key: replace(GOOD.jobs[key], state=state) for key, state in rows.items()},
        schedule={},
        dead=(),
        limits={},
    )
    jobs = {**before.jobs, A: _row(A, JobState.ACTIVE, attempts=1)}
    after = replace(before, lanes={"g": (C,), "h": (D,)}, jobs=jobs, in_flight={"g": 2})
    right = replace(after, ring=("h", "g"))
    wrong = replace(after, ring=("g", "h"))
    assert check_step(Step(CLAIM, LEASED, before, right)) == []
    assert {v.clause for v in check_step(Step(CLAIM, LEASED, before, wrong))} == {"RING-2"}


def test_book_2_a_claim_above_the_limit() -> None:
    before, after = replace(GOOD, limits={"g": 1}), replace(CLAIMED, limits={"g": 1})
    clauses = {violation.clause for violation in check_step(Step(CLAIM, LEASED, before, after))}
    assert "BOOK-2" in clauses


def test_token_1_a_claim_that_does_not_count() -> None:
    jobs = {**CLAIMED.jobs, A: _row(A, JobState.ACTIVE)}
    step = Step(CLAIM, LEASED, GOOD, replace(CLAIMED, jobs=jobs))
    assert {violation.clause for violation in check_step(step)} == {"TOKEN-1"}


def test_wake_2_a_claim_that_leaves_work_and_no_token() -> None:
    before = replace(GOOD, wakes=0)
    step = Step(ops.Complete("q", B, 1), "completed", before, replace(before, ring=("g", "h")))
    assert {violation.clause for violation in check_step(step)} == {"WAKE-1"}


def test_ghost_1_a_row_made_by_a_settle() -> None:
    extra = {**GOOD.jobs, "JOB0000000000E": _row("JOB0000000000E", JobState.SCHEDULED)}
    step = Step(ops.Complete("q", B, 1), "gone", GOOD, replace(GOOD, jobs=extra))
    assert "GHOST-1" in {violation.clause for violation in check_step(step)}


def test_field_1_a_mark_that_no_sweep_set() -> None:
    jobs = {**GOOD.jobs, A: replace(GOOD.jobs[A], lapsed=True, forgiven=1)}
    step = Step(ops.Promote("q", 1), _swept(0), GOOD, replace(GOOD, jobs=jobs))
    assert [violation.clause for violation in check_step(step)] == ["FIELD-1", "FIELD-1"]


def test_verb_reads_a_read_that_changes_something() -> None:
    step = Step(ops.Depth("q", "g"), 1, GOOD, replace(GOOD, wakes=0))
    assert [violation.clause for violation in check_step(step)] == ["VERB-reads"]
