"""CONN: what a bulk verb, or a verb in steps, says of a step that too few replicas have."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest
from echomq_valkey.plans import plan

from echomq_core import CompleteVerdict, Enqueued, Fate, NewJob, TooFewReplicas, encode_id, ops


def short(answer: object) -> TooFewReplicas:
    return TooFewReplicas("verb", wanted=2, got=1, answer=answer)


def outcome(steps: Generator[Any, Any, Any], *answers: object) -> TooFewReplicas:
    """Answer the calls of a plan in order; an error is thrown in. The error that comes out."""
    next(steps)
    with pytest.raises(TooFewReplicas) as caught:  # noqa: PT012 - which step raises is the case
        for answer in answers:
            if isinstance(answer, Exception):
                steps.throw(answer)
            else:
                steps.send(answer)
    return caught.value


def test_verb_bulk_a_chunk_that_stands_on_the_primary_keeps_its_verdicts() -> None:
    ids = [encode_id("JOB", n) for n in range(2_000)]
    op = ops.CompleteMany("q", tuple((job_id, 1) for job_id in ids))
    first = ([b"completed"] * 1_000, b"")
    second = ([b"gone"] * 1_000, b"")
    error = outcome(plan(op), first, short(second))
    assert error.verdicts == [CompleteVerdict.COMPLETED] * 1_000 + [CompleteVerdict.GONE] * 1_000
    error = outcome(plan(op), short(first))
    assert error.verdicts == [CompleteVerdict.COMPLETED] * 1_000 + [Fate.NOT_APPLIED] * 1_000


def test_verb_bulk_admissions_that_stand_carry_their_ids() -> None:
    items = tuple(NewJob("g", b"x", encode_id("JOB", n)) for n in range(2))
    error = outcome(plan(ops.EnqueueMany("q", items)), short(([0, 1], b"")))
    assert error.verdicts == [
        Enqueued(encode_id("JOB", 0), duplicate=False),
        Enqueued(encode_id("JOB", 1), duplicate=True),
    ]


def test_verb_drain_counts_the_step_that_stands() -> None:
    error = outcome(plan(ops.Drain("q", "g")), (500, b"JOBx", 1), short((300, b"JOBx", 0)))
    assert error.done == 800


def test_verb_reap_group_counts_the_step_that_stands() -> None:
    steps = plan(ops.ReapGroup("q", "g", 100, 3))
    error = outcome(steps, (5, 2, 1, b"1", b"JOBx"), short((1, 1, 0, b"1", b"JOBx")))
    assert error.done == 9
