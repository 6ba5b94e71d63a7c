"""Recorded histories: the order of events, and saving without loss."""

from __future__ import annotations

import pytest
from echomq_conformance.encoding import Raised
from echomq_conformance.history import History, Recorded

from echomq_core import (
    Empty,
    EmptyReason,
    JobRecord,
    JobState,
    NewJob,
    QueueSnapshot,
    Swept,
    ops,
)
from echomq_core.values import CompleteVerdict

from .histories import CLAIM, RING_EMPTY, A, B, Q, admitted, enqueue, history, job

SNAPSHOT = QueueSnapshot(
    7,
    False,
    ring=("g",),
    lanes={"g": (A,)},
    active={B: 9},
    jobs={A: JobRecord(A, "g", JobState.PENDING, 0, b"\xff\x00")},
    paused_groups=frozenset({"é {q}"}),
)


def test_readings_become_places_and_a_tie_overlaps() -> None:
    """Calls go before returns of the same reading, so that no order is claimed that was not seen."""
    told = history((1, 500, 900, CLAIM, RING_EMPTY), (2, 900, 950, CLAIM, RING_EMPTY))
    assert [(each.called, each.returned) for each in told.operations] == [(0, 2), (1, 3)]
    assert told.overlaps() == 1


def test_operations_one_after_another_do_not_overlap() -> None:
    """A return before a call is an order."""
    told = history((1, 5, 6, CLAIM, RING_EMPTY), (2, 7, 8, CLAIM, RING_EMPTY))
    assert told.overlaps() == 0


def test_a_history_survives_being_saved() -> None:
    """Every kind of value that a verb takes or answers comes back equal, and of its own type."""
    told = history(
        (0, 0, 1, ops.EnqueueMany(Q, (NewJob("g", b"\x00\xff", A, 5),)), [admitted(A)]),
        (1, 2, 3, CLAIM, job(A)),
        (1, 4, 5, ops.Complete(Q, A, 1), CompleteVerdict.GONE),
        (2, 4, None, enqueue(B), None),
        (2, 6, 7, CLAIM, Empty(EmptyReason.GHOST)),
        (2, 8, 9, ops.Reap(Q, 1), Swept(1, 2, 3)),
        (2, 10, 11, ops.CompleteMany(Q, ((A, 1), (B, 2))), [CompleteVerdict.STALE]),
        (2, 12, 13, ops.Snapshot(Q), SNAPSHOT),
        (2, 14, 15, ops.Depths(Q, ("g", "h")), {"g": 1, "h": 0}),
        (2, 16, 17, ops.Browse(Q, JobState.DEAD), Raised("KeyError('x')")),
    )
    again = History.from_json(told.to_json())
    assert again == told
    assert [type(each.answer) for each in again.operations] == [
        type(each.answer) for each in told.operations
    ]


def test_an_answer_of_no_known_kind_is_saved_as_words() -> None:
    """A backend may answer anything; its history is still a proof."""
    told = History((Recorded(1, CLAIM, 0, 1, object),))
    assert History.from_json(told.to_json()).operations[0].answer == f"answered {object!r}"


def test_a_history_of_another_format_is_refused() -> None:
    """The format has a number of its own."""
    with pytest.raises(ValueError, match="format 9"):
        History.from_json('{"format": 9, "operations": []}')
