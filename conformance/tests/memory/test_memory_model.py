"""The model as a value: every verb has a function, and freezing keeps the whole state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from echomq_memory import QueueModel
from echomq_memory.model import _VERBS
from hypothesis import given
from hypothesis import strategies as st

from echomq_core import JobState, NewJob, encode_id, ops

QUEUE = "q"
IDS = [encode_id("JOB", n) for n in range(1, 5)]
GROUPS = ["g", "h", "é{}:"]


def test_every_operation_on_a_queue_has_its_function() -> None:
    kinds = [kind for kind in vars(ops).values() if isinstance(kind, type)]
    concrete = {kind for kind in kinds if issubclass(kind, ops.QueueOp) and "verb" in vars(kind)}
    assert len(concrete) == 42
    assert set(_VERBS) == concrete


ids, groups, tokens = st.sampled_from(IDS), st.sampled_from(GROUPS), st.integers(1, 3)
times, small = st.integers(1, 30), st.integers(1, 3)
delays = st.sampled_from([0, 0, 5, 20])
attempts = st.one_of(st.none(), small)
q = st.just(QUEUE)

OPERATIONS: st.SearchStrategy[ops.QueueOp[Any]] = st.one_of(
    st.builds(ops.Enqueue, q, groups, st.just(b"x"), ids, delays),
    st.builds(
        ops.EnqueueMany,
        q,
        st.lists(st.builds(NewJob, groups, st.just(b"y"), ids, delays), max_size=3).map(tuple),
    ),
    st.builds(ops.Claim, q, times),
    st.builds(ops.ClaimMany, q, times, small),
    st.builds(ops.WClaim, q, times),
    st.builds(ops.BClaim, q, times, small),
    st.builds(ops.Complete, q, ids, tokens),
    st.builds(ops.Retry, q, ids, tokens, delays, small, st.just("e")),
    st.builds(ops.Release, q, ids, tokens),
    st.builds(ops.Extend, q, ids, tokens, times),
    st.builds(ops.Promote, q, small),
    st.builds(ops.Reap, q, small, attempts),
    st.builds(ops.ReapGroup, q, groups, small, attempts),
    st.builds(ops.Pause, q, groups),
    st.builds(ops.Resume, q, groups),
    st.builds(ops.Limit, q, groups, small),
    st.builds(ops.Unlimit, q, groups),
    st.builds(ops.Weight, q, groups, small),
    st.builds(ops.PauseQueue, q),
    st.builds(ops.ResumeQueue, q),
    st.builds(ops.Reassign, q, ids, groups),
    st.builds(ops.Drain, q, groups),
    st.builds(ops.Remove, q, ids, st.booleans()),
    st.builds(ops.Reprocess, q, ids),
    st.builds(ops.Park, q, st.just(0)),
    st.builds(ops.Wake, q),
    st.builds(ops.Fsck, q, st.booleans()),
    st.builds(ops.Explain, q, ids),
    st.builds(ops.Browse, q, st.sampled_from(JobState)),
)
STEPS = st.lists(st.tuples(OPERATIONS, st.integers(0, 15), st.one_of(st.none(), ids)), max_size=40)


@given(STEPS)
def test_a_thawed_model_goes_on_as_the_one_that_was_frozen(
    steps: list[tuple[ops.QueueOp[Any], int, str | None]],
) -> None:
    """Thawed anew before every step, it gives the answers and states of one that never was; and
    nothing done to it reaches the frozen value that it came from."""
    model, now_ms = QueueModel(QUEUE), 1_000
    for op, advance_ms, lost in steps:
        now_ms += advance_ms
        frozen = model.freeze()
        twin = QueueModel.thaw(frozen)
        assert twin.freeze() == frozen
        assert hash(twin.freeze()) == hash(frozen)
        if lost is not None:
            assert twin.lose_row(lost) == model.lose_row(lost)
        assert twin.apply(op, now_ms) == model.apply(op, now_ms)
        assert twin.freeze() == model.freeze()
        assert QueueModel.thaw(frozen).freeze() == frozen


@given(STEPS)
def test_ring_1_book_1_keys_6_hold_after_every_verb(
    steps: list[tuple[ops.QueueOp[Any], int, str | None]],
) -> None:
    """Without lost rows `fsck` never finds a thing; after a loss, ghosts and their counts alone,
    never a lane off the ring, a row that stands nowhere, or a book too low."""
    model, now_ms, any_lost = QueueModel(QUEUE), 1_000, False
    for op, advance_ms, lost in steps:
        now_ms += advance_ms
        if lost is not None and op.verb == "claim":
            any_lost |= model.lose_row(lost)
        model.apply(op, now_ms)
        breaches = model.apply(ops.Fsck(QUEUE), now_ms)
        assert {breach.clause for breach in breaches} <= (
            {"GHOST-1", "BOOK-1"} if any_lost else set()
        )
        for breach in breaches:
            if breach.clause == "BOOK-1":
                assert int(breach.found) > int(breach.expected)
        assert model.state.wakes in (0, 1)


def test_freeze_tells_apart_what_differs_in_one_part_only() -> None:
    """Each part of the state shows in the frozen value."""
    empty = QueueModel(QUEUE).freeze()
    changes: list[ops.QueueOp[Any]] = [
        ops.Limit(QUEUE, "g", 1),
        ops.Weight(QUEUE, "g", 1),
        ops.Pause(QUEUE, "g"),
        ops.PauseQueue(QUEUE),
        ops.Enqueue(QUEUE, "g", b"", IDS[0]),
        ops.Enqueue(QUEUE, "g", b"", IDS[0], 5),
    ]
    seen = {empty}
    for op in changes:
        model = QueueModel(QUEUE)
        model.apply(op, 0)
        seen.add(model.freeze())
    assert len(seen) == len(changes) + 1


def test_thaw_refuses_a_ring_that_names_a_group_twice() -> None:
    broken = replace(QueueModel(QUEUE).freeze(), ring=("g", "g"))
    with pytest.raises(ValueError, match="twice"):
        QueueModel.thaw(broken)


def test_the_model_refuses_another_queue_and_an_admission_without_an_id() -> None:
    model = QueueModel(QUEUE)
    with pytest.raises(ValueError, match="other"):
        model.apply(ops.Claim("other", 1), 0)
    with pytest.raises(ValueError, match="mints no ids"):
        model.apply(ops.Enqueue(QUEUE, "g", b""), 0)
