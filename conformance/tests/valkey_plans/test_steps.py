"""Verbs in bounded steps, and the one that blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from echomq_valkey.calls import Call, CommandCall, ScriptCall

from echomq_core import EchoMQError, NotApplied, OutcomeUnknown, Swept, ops

from .playing import IDS, QUEUE, play


def stepped(op: ops.Op[Any], replies: Sequence[Any]) -> tuple[Any, list[tuple[Any, ...]]]:
    """The answer or error of a verb whose steps got these replies; and the arguments of each step."""
    left = list(replies)
    args: list[tuple[Any, ...]] = []

    def answer(call: Call[Any]) -> Any:
        assert isinstance(call, ScriptCall)
        args.append(call.args)
        reply = left.pop(0)
        if isinstance(reply, EchoMQError):
            raise reply
        return reply

    try:
        outcome: Any = play(op, answer)[0]
    except EchoMQError as error:
        outcome = error
    assert not left
    return outcome, args


LAST = IDS[30].encode()
DRAIN = ops.Drain(QUEUE, "g")


def test_verb_drain_first_step_fixes_the_greatest_id_and_later_ones_keep_it() -> None:
    outcome, args = stepped(DRAIN, [(500, LAST, 1), (499, LAST, 1), (7, LAST, 0)])
    assert outcome == 1_006
    assert [each[0] for each in args] == ["g"] * 3
    assert [bytes(each[1]) for each in args] == [b"", LAST, LAST]


def test_verb_drain_of_an_empty_lane_is_one_step() -> None:
    assert stepped(DRAIN, [(0, b"", 0)])[0] == 0


@pytest.mark.parametrize("kind", [NotApplied, OutcomeUnknown])
def test_err_midway_drain_carries_the_number_deleted(kind: type[EchoMQError]) -> None:
    failure = kind("drain", "no connection")
    outcome, _ = stepped(DRAIN, [(500, LAST, 1), (500, LAST, 1), failure])
    assert outcome is failure
    assert outcome.done == 1_000


def test_verb_reap_group_goes_on_after_the_entry_that_it_saw_last() -> None:
    replies = [(2, 1, 1, b"50", b"a"), (0, 0, 1, b"60", b"b"), (3, 0, 0, b"70", b"c")]
    outcome, args = stepped(ops.ReapGroup(QUEUE, "g", 100, 3), replies)
    assert outcome == Swept(returned=5, dead=1, dropped=0)
    assert args == [
        ("g", 100, 3, "", ""),
        ("g", 97, 3, b"50", b"a"),
        ("g", 97, 3, b"60", b"b"),
    ]


def test_verb_reap_group_without_a_maximum_sends_none() -> None:
    assert stepped(ops.ReapGroup(QUEUE, "g", 1), [(1, 0, 0, b"", b"")])[1] == [("g", 1, "", "", "")]


def test_err_midway_reap_group_carries_the_number_swept() -> None:
    failure = OutcomeUnknown("reap_group", "no reply")
    outcome, _ = stepped(ops.ReapGroup(QUEUE, "g", 100), [(2, 1, 1, b"50", b"a"), failure])
    assert outcome is failure
    assert outcome.done == 3


def parked(timeout_ms: int) -> CommandCall[Any]:
    _, [call] = play(ops.Park(QUEUE, timeout_ms), lambda call: True)
    assert isinstance(call, CommandCall)
    return call


@pytest.mark.parametrize(
    ("timeout_ms", "seconds"),
    [
        (1, "0.001"),
        (10, "0.010"),
        (999, "0.999"),
        (1_000, "1.000"),
        (1_500, "1.500"),
        (60_001, "60.001"),
        (10**12, "1000000000.000"),
    ],
)
def test_verb_park_blocks_for_the_time_asked_and_never_for_ever(
    timeout_ms: int, seconds: str
) -> None:
    call = parked(timeout_ms)
    assert call.command == ("BLPOP", "emq:{q}:wake", seconds)
    assert float(seconds) > 0  # BLPOP 0 has no end
    assert call.block_ms == timeout_ms


def test_verb_park_of_0_ms_does_not_block() -> None:
    call = parked(0)
    assert call.command == ("LPOP", "emq:{q}:wake")
    assert call.block_ms is None


@pytest.mark.parametrize("timeout_ms", [0, 1])
def test_verb_park_is_never_repeated_by_a_driver(timeout_ms: int) -> None:
    """It takes a token: a repeat could take a second one."""
    assert parked(timeout_ms).reads is False


@pytest.mark.parametrize(
    ("timeout_ms", "reply", "expected"),
    [(0, None, False), (0, b"1", True), (5, None, False), (5, [b"emq:{q}:wake", b"1"], True)],
)
def test_verb_park_answers_whether_it_took_a_token(
    timeout_ms: int, reply: object, expected: bool
) -> None:
    answer, _ = play(ops.Park(QUEUE, timeout_ms), lambda call: call.parse(reply))
    assert answer is expected
