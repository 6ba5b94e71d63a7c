"""The rules of a cluster for one conversation, played without a server (CONN-2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from echomq_valkey.calls import CommandCall, ScriptCall
from echomq_valkey.conversation import converse
from echomq_valkey.exchange import Answered, ErrorReply, Incoming, Lost, Pause, Request
from echomq_valkey.pacing import pauses
from echomq_valkey.routing import (
    MOST_HOPS,
    Redirect,
    Routed,
    doubts,
    redirect_of,
    routed,
    slot_of_call,
)

from echomq_core import Keyspace, NotApplied, OutcomeUnknown
from echomq_core.keyspace import VERSION_KEY, slot_of

MOVED = ErrorReply("MOVED", "7 10.0.0.2:6380")
ASK = ErrorReply("ASK", "7 10.0.0.3:6381")
CALL = ScriptCall("complete", "complete", "q", ("id", 1), lambda reply: reply)
READ = CommandCall("depth", ("ZCARD", "k"), lambda reply: reply, key="k", reads=True)
PARK = CommandCall("park", ("BLPOP", "k", "5.000"), lambda reply: reply, key="k", block_ms=5_000)


class Now:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.s = 0.0

    def __call__(self) -> float:
        return self.s


def play(
    conversation: Routed[Any], replies: Iterable[Incoming | float], now: Now | None = None
) -> tuple[list[object], object]:
    """Answer each request with the next reply; a number lets so many seconds pass in front of it."""
    steps: list[object] = []
    left = list(replies)
    incoming: Incoming | None = None
    while True:
        try:
            step = conversation.send(incoming)
        except StopIteration as done:
            assert not left, f"never asked for: {left}"
            return steps, done.value
        steps.append(step)
        incoming = None
        if isinstance(step, Request):
            while isinstance(left[0], float):
                assert now is not None
                now.s += left.pop(0)  # type: ignore[operator]  # it is a float
            incoming = left.pop(0)  # type: ignore[assignment]  # it is none any more


def words(steps: list[object]) -> list[str]:
    """Each step as a word: the command of a request, or what else it is."""
    return [
        step.parts[0].decode() if isinstance(step, Request) else type(step).__name__
        for step in steps
    ]


def test_conn_2_moved_is_followed_at_once_and_for_good() -> None:
    steps, answer = play(routed(converse(CALL)), [MOVED, Answered(b"completed")])
    assert answer == b"completed"
    assert words(steps) == ["EVALSHA", "Redirect", "EVALSHA"]
    assert steps[1] == Redirect(7, "10.0.0.2", 6380, lasting=True)
    assert steps[0] == steps[2]


def test_conn_2_ask_is_followed_with_asking_in_front_of_each_request() -> None:
    """A script that the other node lacks is loaded there, and called there again."""
    replies: list[Incoming | float] = [
        ASK,
        Answered(b"OK"),
        ErrorReply("NOSCRIPT", "no"),
        Answered(b"OK"),
        Answered(b"sha"),
        Answered(b"OK"),
        Answered(b"completed"),
    ]
    steps, answer = play(routed(converse(CALL)), replies)
    assert answer == b"completed"
    assert words(steps) == [
        "EVALSHA",
        "Redirect",
        *("ASKING", "EVALSHA"),
        *("ASKING", "SCRIPT"),
        *("ASKING", "EVALSHA"),
    ]
    assert steps[1] == Redirect(7, "10.0.0.3", 6381, lasting=False)


def test_conn_2_tryagain_after_ask_pauses_and_starts_over_at_the_owner() -> None:
    replies: list[Incoming | float] = [
        ASK,
        Answered(b"OK"),
        ErrorReply("TRYAGAIN", "later"),
        Answered(b"completed"),
    ]
    steps, _ = play(routed(converse(CALL)), replies)
    assert words(steps) == ["EVALSHA", "Redirect", "ASKING", "EVALSHA", "Pause", "EVALSHA"]


def test_conn_2_nodes_that_send_a_call_round_are_given_a_pause() -> None:
    replies: list[Incoming | float] = [*[MOVED] * (MOST_HOPS + 1), Answered(b"completed")]
    steps, _ = play(routed(converse(CALL)), replies)
    hops = ["EVALSHA", "Redirect"] * MOST_HOPS
    assert words(steps) == [*hops, "EVALSHA", "Pause", "EVALSHA"]


def test_conn_2_refusals_without_end_are_not_applied() -> None:
    conversation = routed(converse(CALL, pacing=lambda: iter((0.1, 0.1))))
    with pytest.raises(NotApplied, match="CLUSTERDOWN"):
        play(conversation, [ErrorReply("CLUSTERDOWN", "down")] * 3)


def test_conn_2_reply_lost_after_a_redirect_is_unknown() -> None:
    with pytest.raises(OutcomeUnknown):
        play(routed(converse(CALL)), [MOVED, Lost(True, "gone")])


def test_conn_2_connection_lost_at_asking_is_not_applied() -> None:
    """The call itself was not sent."""
    with pytest.raises(NotApplied):
        play(routed(converse(CALL)), [ASK, Lost(True, "gone")])


def test_conn_2_read_is_repeated_once_after_a_lost_reply() -> None:
    steps, answer = play(routed(converse(READ)), [Lost(True, "gone"), Answered(3)])
    assert (answer, words(steps)) == (3, ["ZCARD", "ZCARD"])


def test_verb_park_asks_the_new_owner_for_the_time_that_is_left() -> None:
    now = Now()
    steps, answer = play(routed(converse(PARK), now), [3.5, MOVED, Answered([b"k", b"1"])], now)
    assert answer == [b"k", b"1"]
    assert [step for step in steps if isinstance(step, Request)] == [
        Request((b"BLPOP", b"k", b"5.000"), patience_ms=5_000, parks=True),
        Request((b"BLPOP", b"k", b"1.500"), patience_ms=1_500, parks=True),
    ]


def test_verb_park_goes_on_after_unblocked() -> None:
    """A demoted primary sends its parked clients away; then it knows who serves the slot."""
    now = Now()
    replies: list[Incoming | float] = [
        2.0,
        ErrorReply("UNBLOCKED", "demoted"),
        MOVED,
        Answered(None),
    ]
    steps, answer = play(routed(converse(PARK), now), replies, now)
    assert (answer, words(steps)) == (
        None,
        ["BLPOP", "Pause", "BLPOP", "Redirect", "BLPOP"],
    )


def test_verb_park_whose_time_is_up_answers_that_no_token_came() -> None:
    now = Now()
    steps, answer = play(routed(converse(PARK), now), [5.0, MOVED], now)
    assert (answer, words(steps)) == (None, ["BLPOP", "Redirect"])


def test_verb_park_never_pauses_beyond_its_time() -> None:
    now = Now()
    conversation = routed(converse(PARK, pacing=lambda: iter((9.0,))), now)
    replies: list[Incoming | float] = [4.5, ErrorReply("CLUSTERDOWN", "down"), 0.5, Answered(None)]
    steps, _ = play(conversation, replies, now)
    assert Pause(0.5) in steps


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (ErrorReply("MOVED", "1 ::1:7000"), Redirect(1, "::1", 7000, lasting=True)),
        (ErrorReply("MOVED", "1 :7000"), Redirect(1, "", 7000, lasting=True)),
        (ErrorReply("ASK", "1 ?:7000"), Redirect(1, "", 7000, lasting=False)),
        (ErrorReply("MOVED", "nonsense"), None),
        (ErrorReply("TRYAGAIN", "1 h:7000"), None),
        (Answered(b"MOVED 1 h:7000"), None),
    ],
)
def test_redirect_of(reply: Incoming, expected: Redirect | None) -> None:
    assert redirect_of(reply) == expected


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (Lost(False, "no"), True),
        (ErrorReply("CLUSTERDOWN", "down"), True),
        (ErrorReply("READONLY", "no"), True),
        (MOVED, False),
        (ErrorReply("TRYAGAIN", "later"), False),
        (Answered(None), False),
    ],
)
def test_doubts(reply: Incoming, expected: bool) -> None:
    assert doubts(reply) is expected


def test_keys_1_calls_go_by_the_slot_of_their_queue() -> None:
    keyless = CommandCall("check", ("INFO",), lambda reply: reply)
    assert slot_of_call(CALL) == Keyspace("q").slot()
    assert slot_of_call(READ) == slot_of("k")
    assert slot_of_call(keyless) == slot_of(VERSION_KEY)


def test_follow_up_ends_within_the_stated_time() -> None:
    now = Now()
    total = 0.0
    for pause in pauses(5.0, now, lambda: 1.0):
        now.s += pause
        total += pause
    assert total == pytest.approx(5.0)
