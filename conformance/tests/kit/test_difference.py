"""Where an answer or queue differs from the oracle's: the first field, and what may differ."""

from __future__ import annotations

from dataclasses import replace

from echomq_conformance.blame import clause_of
from echomq_conformance.difference import Times, answer_difference, snapshot_difference

from echomq_core import Job, JobRecord, QueueSnapshot, Swept, ops
from echomq_core.values import CompleteVerdict

JOB = Job("A", "g", b"x", 1, 1, 50_000)
CLAIM = ops.Claim("q", 1_000)
AGED = Times(shift_ms=40_000, slack_ms=100)
QUEUE = QueueSnapshot(
    now_ms=1,
    paused=False,
    active={"A": 50_000, "B": 60_000},
    jobs={"A": JobRecord("A", "g", "active", 1, b"")},
)


def test_equal_answers_do_not_differ() -> None:
    assert answer_difference(CLAIM, JOB, JOB, Times()) is None


def test_a_deadline_is_compared_less_the_ageing_and_the_real_time_that_passed() -> None:
    assert answer_difference(CLAIM, JOB, replace(JOB, deadline_ms=10_100), AGED) is None
    found = answer_difference(CLAIM, JOB, replace(JOB, deadline_ms=10_101), AGED)
    assert found is not None
    assert (found.path, found.expected, found.got) == ("answer.deadline_ms", 50_000, 10_101)
    assert clause_of(CLAIM, found) == "CLOCK-1"


def test_on_a_manual_clock_a_deadline_is_exact() -> None:
    assert answer_difference(CLAIM, JOB, replace(JOB, deadline_ms=50_001), Times()) is not None


def test_the_first_field_that_differs_is_named() -> None:
    found = answer_difference(CLAIM, JOB, replace(JOB, payload=b"y", attempt=2), Times())
    assert found is not None
    assert found.path == "answer.payload"
    assert clause_of(CLAIM, found) == "KEYS-5"


def test_answer_values_plain_text_is_no_verdict() -> None:
    op = ops.Complete("q", "A", 1)
    assert answer_difference(op, CompleteVerdict.GONE, "gone", Times()) is not None
    many = ops.Reap("q", 1)
    assert answer_difference(many, Swept(1, 0, 0), (1, 0, 0), Times()) is not None


def test_a_longer_list_differs() -> None:
    op = ops.ClaimMany("q", 1_000, 5)
    found = answer_difference(op, [JOB], [JOB, JOB], Times())
    assert found is not None
    assert found.path == "answer (length)"


def test_a_snapshot_differs_in_a_row_or_in_the_order_of_its_deadlines() -> None:
    assert snapshot_difference(QUEUE, replace(QUEUE, now_ms=9), Times()) is None
    row = replace(QUEUE.jobs["A"], attempts=2)
    found = snapshot_difference(QUEUE, replace(QUEUE, jobs={"A": row}), Times())
    assert found is not None
    assert found.path == "jobs['A'].attempts"
    assert clause_of(CLAIM, found) == "TOKEN-1"
    swapped = replace(QUEUE, active={"A": 60_000, "B": 50_000})
    found = snapshot_difference(QUEUE, swapped, Times(slack_ms=20_000))
    assert found is not None
    assert found.path == "active (order by time, then id)"


def test_token_2_is_blamed_when_the_token_was_the_rows_own() -> None:
    op = ops.Complete("q", "A", 1)
    found = answer_difference(op, CompleteVerdict.STALE, CompleteVerdict.COMPLETED, Times())
    assert found is not None
    assert clause_of(op, found, QUEUE) == "TOKEN-2"
    other = replace(op, token=2)
    assert clause_of(other, found, QUEUE) == "TOKEN-1"
