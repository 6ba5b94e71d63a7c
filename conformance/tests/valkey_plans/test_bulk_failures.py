"""A bulk verb that fails midway says what is known of every item (ERR-midway)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from echomq_valkey.calls import Call, ScriptCall

from echomq_core import (
    CompleteVerdict,
    EchoMQError,
    Enqueued,
    ExtendVerdict,
    Fate,
    NewJob,
    NotApplied,
    OutcomeUnknown,
    ServerFull,
    TooFewReplicas,
    WrongKeyType,
    encode_id,
    ops,
)

from .playing import QUEUE, play

LOST = OutcomeUnknown("bulk", "no reply")
NEVER_SENT = NotApplied("bulk", "no connection")
PAIRS = tuple((encode_id("JOB", number), 1) for number in range(1, 2_501))
CHUNKS = [1_000, 1_000, 500]
OOM = b"OOM command not allowed when used memory > 'maxmemory'."

Reply = tuple[Sequence[object], bytes] | EchoMQError


def failed(op: ops.Op[Any], replies: Sequence[Reply]) -> tuple[EchoMQError, list[ScriptCall[Any]]]:
    """The error of a bulk verb whose chunks got these replies, and the calls that were made."""
    left = list(replies)
    made: list[ScriptCall[Any]] = []

    def answer(call: Call[Any]) -> Any:
        assert isinstance(call, ScriptCall)
        made.append(call)
        if call.script == "diagnose":
            return (b"emq:{q}:ring", b"string", b"list")
        reply = left.pop(0)
        if isinstance(reply, EchoMQError):
            raise reply
        return reply

    with pytest.raises(EchoMQError) as raised:
        play(op, answer)
    assert not left
    return raised.value, made


@pytest.mark.parametrize(
    ("failure", "fate"),
    [(LOST, Fate.UNKNOWN), (NEVER_SENT, Fate.NOT_APPLIED), (ServerFull("no"), Fate.NOT_APPLIED)],
    ids=["lost", "not applied", "refused"],
)
def test_err_midway_chunk_that_failed_whole(failure: EchoMQError, fate: Fate) -> None:
    first = [b"completed"] * 999 + [b"gone"]
    error, made = failed(ops.CompleteMany(QUEUE, PAIRS), [(first, b""), failure])
    assert error is failure
    assert error.verdicts == [
        *[CompleteVerdict.COMPLETED] * 999,
        CompleteVerdict.GONE,
        *[fate] * 1_000,
        *[Fate.NOT_APPLIED] * 500,
    ]
    assert len(made) == 2


@pytest.mark.parametrize(
    ("refusal", "kind", "fate"),
    [
        (OOM, ServerFull, Fate.NOT_APPLIED),
        (b"WRONGTYPE Operation against a key", WrongKeyType, Fate.NOT_APPLIED),
        (b"ERR something new", OutcomeUnknown, Fate.UNKNOWN),
    ],
    ids=["full", "wrong type", "unknown"],
)
def test_err_midway_item_that_was_refused_inside_a_chunk(
    refusal: bytes, kind: type[EchoMQError], fate: Fate
) -> None:
    items = tuple(NewJob("g", b"x", job_id) for job_id, _ in PAIRS[:5])
    error, _ = failed(ops.EnqueueMany(QUEUE, items), [([0, 1], refusal)])
    assert type(error) is kind
    assert error.verdicts == [
        Enqueued(PAIRS[0][0], duplicate=False),
        Enqueued(PAIRS[1][0], duplicate=True),
        fate,
        Fate.NOT_APPLIED,
        Fate.NOT_APPLIED,
    ]


def test_err_midway_wrong_type_names_the_key_and_keeps_the_verdicts() -> None:
    error, made = failed(ops.CompleteMany(QUEUE, PAIRS[:3]), [([b"stale"], b"WRONGTYPE Operation")])
    assert isinstance(error, WrongKeyType)
    assert (error.key, error.found, error.expected) == ("emq:{q}:ring", "string", "list")
    assert error.verdicts == [CompleteVerdict.STALE, Fate.NOT_APPLIED, Fate.NOT_APPLIED]
    assert [call.script for call in made] == ["complete_many", "diagnose"]


def test_err_midway_extensions() -> None:
    error, _ = failed(
        ops.ExtendMany(QUEUE, PAIRS, 5), [([b"extended"] * 1_000, b""), ([b"stale"], OOM)]
    )
    expected = [*[ExtendVerdict.EXTENDED] * 1_000, ExtendVerdict.STALE]
    assert error.verdicts == [*expected, *[Fate.NOT_APPLIED] * 1_499]


def test_err_midway_chunk_that_stands_without_enough_replicas_has_its_verdicts() -> None:
    few = TooFewReplicas("complete_many", wanted=1, got=0, answer=([b"completed"] * 1_000, b""))
    error, _ = failed(ops.CompleteMany(QUEUE, PAIRS), [few])
    assert error is few
    assert error.verdicts == [*[CompleteVerdict.COMPLETED] * 1_000, *[Fate.NOT_APPLIED] * 1_500]


def test_keys_4_minted_duplicates_alone_are_minted_again() -> None:
    given = PAIRS[0][0]
    items = (NewJob("g", b"a"), NewJob("g", b"b", given), NewJob("h", b"c"))
    replies = iter([([1, 1, 0], b""), ([0], b"")])
    sent: list[tuple[Any, ...]] = []

    def answer(call: Call[Any]) -> Any:
        assert isinstance(call, ScriptCall)
        sent.append(call.args)
        return next(replies)

    verdicts, _ = play(ops.EnqueueMany(QUEUE, items), answer)
    first, again = sent
    assert again[1:] == ("g", b"a", 0, "")
    assert again[0] != first[0]
    assert verdicts == [
        Enqueued(again[0], duplicate=False),
        Enqueued(given, duplicate=True),
        Enqueued(first[10], duplicate=False),
    ]


def test_err_midway_failure_while_minting_again_keeps_what_is_known() -> None:
    items = (NewJob("g", b"a"), NewJob("g", b"b"), NewJob("h", b"c"))
    error, made = failed(ops.EnqueueMany(QUEUE, items), [([1, 0, 1], b""), ([0], OOM)])
    first, again = (call.args for call in made)
    assert error.verdicts == [
        Enqueued(str(again[0]), duplicate=False),
        Enqueued(str(first[5]), duplicate=False),
        Fate.NOT_APPLIED,
    ]


def test_err_midway_minted_duplicate_that_was_not_minted_again_was_not_admitted() -> None:
    """Another process has that id: the item itself is nowhere, and *duplicate* would say otherwise."""
    items = (NewJob("g", b"a"), NewJob("g", b"b"))
    error, _ = failed(ops.EnqueueMany(QUEUE, items), [([1], OOM)])
    assert error.verdicts == [Fate.NOT_APPLIED, Fate.NOT_APPLIED]
