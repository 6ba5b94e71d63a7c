"""Values that behave, and the texts of the enumerations (ANSWER-values, ANSWER-empty)."""

from __future__ import annotations

import dataclasses
from enum import StrEnum

import pytest

from echomq_core import (
    CompleteVerdict,
    Empty,
    EmptyReason,
    Enqueued,
    ExplanationReason,
    ExtendVerdict,
    Fate,
    Job,
    JobState,
    Page,
    ReassignVerdict,
    ReleaseVerdict,
    RemoveVerdict,
    ReprocessVerdict,
    RetryVerdict,
    Swept,
    values,
)


@pytest.mark.parametrize("reason", EmptyReason)
def test_answer_empty_is_falsy_has_length_0_and_iterates_as_nothing(reason: EmptyReason) -> None:
    empty = Empty(reason)
    assert not empty
    assert len(empty) == 0
    assert list(empty) == []
    assert empty == Empty(reason)


def test_answer_empty_ends_a_loop_over_claims_and_a_job_does_not() -> None:
    job = Job("JOB00000000001", "g", b"", 1, 1, 0)
    answers: list[Job | Empty] = [job, job, Empty(EmptyReason.RING_EMPTY), job]
    claims = iter(answers)
    served = 0
    while next(claims):
        served += 1
    assert served == 2


def test_answer_empty_differs_by_its_reason() -> None:
    assert Empty(EmptyReason.GHOST) != Empty(EmptyReason.RING_EMPTY)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (JobState, "pending active scheduled dead"),
        (EmptyReason, "queue_paused ring_empty ghost"),
        (CompleteVerdict, "completed gone stale"),
        (RetryVerdict, "scheduled dead gone stale"),
        (ReleaseVerdict, "released gone stale"),
        (ExtendVerdict, "extended gone stale"),
        (ReassignVerdict, "reassigned noop not_found not_pending"),
        (RemoveVerdict, "removed gone active"),
        (ReprocessVerdict, "reprocessed gone not_dead"),
        (Fate, "unknown not_applied"),
        (
            ExplanationReason,
            "gone misplaced dead scheduled active"
            " lane_empty queue_paused lane_paused lane_full waiting",
        ),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else None,
)
def test_answer_values_have_exactly_these_texts(kind: type[StrEnum], texts: str) -> None:
    assert [str(member) for member in kind] == texts.split()


def test_answer_values_swept_sums_what_it_dealt_with() -> None:
    assert Swept(returned=1, dead=20, dropped=300).total == 321


@pytest.mark.parametrize(
    "kind",
    [
        value
        for name in values.__all__
        if dataclasses.is_dataclass(value := getattr(values, name)) and isinstance(value, type)
    ],
    ids=lambda kind: str(kind.__name__),
)
def test_answer_values_are_frozen_and_slotted(kind: type) -> None:
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(kind)


def test_answer_values_compare_by_what_they_hold() -> None:
    assert Enqueued("JOB00000000001", False) == Enqueued("JOB00000000001", duplicate=False)
    assert Page(("a",), None) != Page(("a",), "more")
