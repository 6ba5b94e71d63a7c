"""The plan of `enqueue`: when it mints again, and the one verb that is sent a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from echomq_valkey.calls import Call, ScriptCall

from echomq_core import (
    EchoMQError,
    Enqueued,
    NotApplied,
    OutcomeUnknown,
    ServerFull,
    TooFewReplicas,
    is_job_id,
    ops,
)

from .playing import IDS, QUEUE, play

MINTED = ops.Enqueue(QUEUE, "g", b"payload", delay_ms=7)
GIVEN = ops.Enqueue(QUEUE, "g", b"payload", job_id=IDS[0])
LOST = OutcomeUnknown("enqueue", "no reply")
NEVER_SENT = NotApplied("enqueue", "no connection")


def sent(
    op: ops.Enqueue, answers: Sequence[bool | EchoMQError]
) -> tuple[Any, list[tuple[Any, ...]]]:
    """What enqueue answered or raised when its calls got these answers; and the arguments it sent."""
    left = list(answers)
    args: list[tuple[Any, ...]] = []

    def answer(call: Call[Any]) -> bool:
        assert isinstance(call, ScriptCall)
        args.append(call.args)
        given = left.pop(0)
        if isinstance(given, EchoMQError):
            raise given
        return given

    try:
        outcome: Any = play(op, answer)[0]
    except EchoMQError as error:
        outcome = error
    assert not left, "not every answer was asked for"
    return outcome, args


def test_verb_enqueue_sends_id_group_payload_delay_and_no_time() -> None:
    outcome, [args] = sent(MINTED, [False])
    assert args == (outcome.id, "g", b"payload", 7, "")
    assert is_job_id(outcome.id)
    assert outcome.duplicate is False


def test_keys_4_minted_id_of_another_process_is_minted_again() -> None:
    outcome, args = sent(MINTED, [True, True, False])
    ids = [each[0] for each in args]
    assert len(set(ids)) == 3
    assert outcome == Enqueued(ids[-1], duplicate=False)
    assert {each[1:] for each in args} == {("g", b"payload", 7, "")}


def test_verb_enqueue_given_id_that_is_there_is_a_duplicate() -> None:
    assert sent(GIVEN, [True]) == (
        Enqueued(IDS[0], duplicate=True),
        [(IDS[0], "g", b"payload", 0, "")],
    )


@pytest.mark.parametrize("second", [True, False], ids=["first was admitted", "first was not"])
def test_conn_2_minted_enqueue_is_sent_once_more_after_a_lost_reply(second: bool) -> None:
    outcome, args = sent(MINTED, [LOST, second])
    assert args[0] == args[1]
    assert outcome == Enqueued(args[0][0], duplicate=False)


def test_conn_2_lost_reply_after_minting_again_repeats_the_newer_id() -> None:
    outcome, args = sent(MINTED, [True, LOST, True])
    assert args[0][0] != args[1][0]
    assert args[1] == args[2]
    assert outcome == Enqueued(args[1][0], duplicate=False)


def test_conn_2_second_lost_reply_is_raised() -> None:
    again = OutcomeUnknown("enqueue", "no reply either")
    outcome, args = sent(MINTED, [LOST, again])
    assert outcome is again
    assert len(args) == 2


@pytest.mark.parametrize("refusal", [NEVER_SENT, ServerFull("full")], ids=["not applied", "full"])
def test_conn_2_refused_repeat_leaves_the_first_outcome_unknown(refusal: EchoMQError) -> None:
    outcome, args = sent(MINTED, [LOST, refusal])
    assert outcome is LOST
    assert outcome.__cause__ is refusal
    assert len(args) == 2


def test_conn_2_enqueue_of_a_given_id_is_not_repeated() -> None:
    assert sent(GIVEN, [LOST])[0] is LOST


@pytest.mark.parametrize("op", [MINTED, GIVEN], ids=["minted", "given"])
def test_conn_2_what_was_not_applied_is_not_repeated(op: ops.Enqueue) -> None:
    assert sent(op, [NEVER_SENT])[0] is NEVER_SENT


@pytest.mark.parametrize("before", [[], [LOST]], ids=["first send", "second send"])
def test_too_few_replicas_carries_the_answer_with_the_id(before: list[EchoMQError]) -> None:
    few = TooFewReplicas("enqueue", wanted=2, got=1, answer=False)
    outcome, args = sent(MINTED, [*before, few])
    assert outcome is few
    assert few.answer == Enqueued(args[-1][0], duplicate=False)


def test_keys_4_too_few_replicas_for_anothers_job_mints_again() -> None:
    few = TooFewReplicas("enqueue", wanted=2, got=1, answer=True)
    outcome, args = sent(MINTED, [few, False])
    assert outcome == Enqueued(args[1][0], duplicate=False)
    assert args[0][0] != args[1][0]
