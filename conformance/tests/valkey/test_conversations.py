"""One call from its first byte to its answer, played without a server: CONN-1, CONN-2, CONN-4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import echomq_lua
import pytest
from echomq_valkey.calls import Call, CommandCall, ScriptCall
from echomq_valkey.conversation import Replicas, converse
from echomq_valkey.exchange import Answered, ErrorReply, Incoming, Lost, Pause, Request
from echomq_valkey.pacing import pauses

from echomq_core import (
    EchoMQError,
    NotApplied,
    OutcomeUnknown,
    Refused,
    ServerFull,
    ServerTooOld,
    ServerUnusable,
    TooFewReplicas,
    WrongKeyType,
)

WRITE = ScriptCall("claim", "claim", "q", (1_000,), lambda reply: reply)
READ = ScriptCall("next_due", "next_due", "q", (), lambda reply: reply, reads=True)
PARK = CommandCall("park", ("BLPOP", "k", "1.000"), lambda reply: reply, key="k", block_ms=1_000)

TRANSIENT = [
    "ASK",
    "BUSY",
    "CLUSTERDOWN",
    "LOADING",
    "MASTERDOWN",
    "MOVED",
    "READONLY",
    "TRYAGAIN",
]
GONE = Lost(True, "no reply")
NO_LINE = Lost(False, "no connection")


class Played:
    """A conversation against a list of replies; records its steps."""

    def __init__(
        self, call: Call[Any], *replies: Incoming, replicas: Replicas | None = None
    ) -> None:
        self.steps: list[Request | Pause] = []
        self.answer: Any = None
        self.error: EchoMQError | None = None
        left = list(replies)
        conversation = converse(call, replicas=replicas, pacing=lambda: iter((0.1, 0.2)))
        incoming: Incoming | None = None
        try:
            while True:
                step = conversation.send(incoming)
                self.steps.append(step)
                incoming = None if isinstance(step, Pause) else left.pop(0)
        except StopIteration as done:
            self.answer = done.value
        except EchoMQError as error:
            self.error = error
        assert left == []

    @property
    def names(self) -> list[str]:
        """The commands sent, and pauses."""
        return [
            "pause" if isinstance(step, Pause) else step.parts[0].decode() for step in self.steps
        ]


def test_call_sends_the_digest_with_base_key_and_meta() -> None:
    played = Played(WRITE, Answered(b"job"))
    assert played.answer == b"job"
    sha = echomq_lua.sha1("claim").encode()
    assert played.steps == [Request((b"EVALSHA", sha, b"2", b"emq:{q}:", b"emq:{q}:meta", b"1000"))]


def test_wake_3_blocking_command_parks_with_the_patience_of_its_block() -> None:
    played = Played(PARK, Answered(None))
    assert played.steps == [Request((b"BLPOP", b"k", b"1.000"), patience_ms=1_000, parks=True)]


def test_conn_2_noscript_loads_and_sends_again() -> None:
    played = Played(WRITE, ErrorReply("NOSCRIPT", "No"), Answered(b"sha"), Answered(7))
    assert (played.answer, played.names) == (7, ["EVALSHA", "SCRIPT", "EVALSHA"])


def test_conn_2_script_that_is_flushed_all_the_time_ends_as_not_applied() -> None:
    replies: list[Incoming] = [ErrorReply("NOSCRIPT", "No"), Answered(b"sha")] * 5
    played = Played(WRITE, *replies, ErrorReply("NOSCRIPT", "No"))
    assert isinstance(played.error, NotApplied)


@pytest.mark.parametrize("lost", [GONE, NO_LINE])
def test_conn_2_reply_lost_while_loading_is_not_applied(lost: Lost) -> None:
    played = Played(WRITE, ErrorReply("NOSCRIPT", "No"), lost)
    assert isinstance(played.error, NotApplied)


@pytest.mark.parametrize("code", TRANSIENT)
def test_conn_2_refusal_that_passes_is_followed_up_for_writes_too(code: str) -> None:
    played = Played(WRITE, ErrorReply(code, "x"), ErrorReply(code, "x"), Answered(7))
    assert (played.answer, played.names) == (7, ["EVALSHA", "pause", "EVALSHA", "pause", "EVALSHA"])


@pytest.mark.parametrize("code", TRANSIENT)
def test_conn_2_refusal_that_stays_is_not_applied_when_the_time_is_up(code: str) -> None:
    played = Played(WRITE, *[ErrorReply(code, "why")] * 3)
    assert isinstance(played.error, NotApplied)
    assert f"{code} why" in str(played.error)


def test_conn_2_refusal_while_loading_is_followed_up() -> None:
    played = Played(
        WRITE,
        ErrorReply("NOSCRIPT", "No"),
        ErrorReply("LOADING", "x"),
        ErrorReply("NOSCRIPT", "No"),
        Answered(b"sha"),
        Answered(7),
    )
    assert played.answer == 7
    assert played.names == ["EVALSHA", "SCRIPT", "pause", "EVALSHA", "SCRIPT", "EVALSHA"]


@pytest.mark.parametrize("lost", [GONE, NO_LINE])
def test_conn_1_lost_write_is_never_repeated(lost: Lost) -> None:
    played = Played(WRITE, lost)
    assert type(played.error) is (OutcomeUnknown if lost.sent else NotApplied)
    assert played.names == ["EVALSHA"]


@pytest.mark.parametrize("lost", [GONE, NO_LINE])
def test_conn_2_lost_read_is_repeated_once(lost: Lost) -> None:
    assert Played(READ, lost, Answered(7)).answer == 7
    twice = Played(READ, lost, lost)
    assert type(twice.error) is (OutcomeUnknown if lost.sent else NotApplied)


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (ErrorReply("OOM", "command not allowed"), ServerFull),
        (ErrorReply("WRONGTYPE", "Operation"), WrongKeyType),
        (ErrorReply("NOPERM", "no permissions to run 'evalsha'"), ServerUnusable),
        (ErrorReply("ACL", "failure in script: no permissions to run 'time'"), ServerUnusable),
        (ErrorReply("NOAUTH", "Authentication required."), ServerUnusable),
        (ErrorReply("WRONGPASS", "invalid", connecting=True), ServerUnusable),
        (ErrorReply("ERR", "unknown command 'EVALSHA'"), ServerUnusable),
        (ErrorReply("ERR", "Could not find scripting engine 'lua'"), ServerUnusable),
        (ErrorReply("ERR", "DB index is out of range", connecting=True), ServerUnusable),
        (ErrorReply("MISCONF", "snapshots"), NotApplied),
        (ErrorReply("NOREPLICAS", "Not enough good replicas"), NotApplied),
        (ErrorReply("UNBLOCKED", "force unblock"), NotApplied),
        (ErrorReply("ERR", "max number of clients reached", connecting=True), NotApplied),
        (ErrorReply("ERR", "anything else"), OutcomeUnknown),
    ],
)
def test_conn_4_refusal_becomes_the_error_that_says_what_to_do(
    reply: ErrorReply, kind: type[EchoMQError]
) -> None:
    played = Played(WRITE, reply)
    assert type(played.error) is kind
    assert played.names == ["EVALSHA"]


def test_conn_4_unknown_refusal_of_a_read_is_refused_with_its_text() -> None:
    played = Played(READ, ErrorReply("ERR", "anything else"))
    assert type(played.error) is Refused
    assert "ERR anything else" in str(played.error)


@pytest.mark.parametrize(
    ("info", "kind"),
    [
        (Answered(b"redis_version:6.2.14\r\n"), ServerTooOld),
        (ErrorReply("NOPERM", "no info"), ServerTooOld),
        (Answered(b"redis_version:7.2.4\r\nvalkey_version:9.1.2\r\n"), Refused),
    ],
)
def test_script_that_does_not_compile_blames_an_old_server_only(
    info: Incoming, kind: type[EchoMQError]
) -> None:
    compiler = ErrorReply("ERR", "Error compiling script (new function): user_script:1:")
    played = Played(WRITE, ErrorReply("NOSCRIPT", "No"), compiler, info)
    assert type(played.error) is kind
    if isinstance(played.error, ServerTooOld):
        assert played.error.needed == "7.0"
        assert played.error.found == ("6.2.14" if isinstance(info, Answered) else "unknown")


@pytest.mark.parametrize("code", ["NOPERM", "ERR"])
def test_script_load_refused_for_good_is_unusable(code: str) -> None:
    played = Played(WRITE, ErrorReply("NOSCRIPT", "No"), ErrorReply(code, "not that"))
    assert type(played.error) is ServerUnusable


class TestReplicas:
    """`wait_replicas`: a write waits on its own connection; the answer stands either way."""

    two = Replicas(2, 500)

    def test_write_waits_after_its_answer(self) -> None:
        played = Played(WRITE, Answered(7), Answered(2), replicas=self.two)
        assert played.answer == 7
        assert played.steps[1] == Request((b"WAIT", b"2", b"500"), patience_ms=500)

    @pytest.mark.parametrize(
        ("reply", "got"), [(Answered(1), 1), (GONE, 0), (ErrorReply("NOPERM", "no WAIT"), 0)]
    )
    def test_too_few_replicas_carry_the_answer(self, reply: Incoming, got: int) -> None:
        error = Played(WRITE, Answered(7), reply, replicas=self.two).error
        assert isinstance(error, TooFewReplicas)
        assert (error.wanted, error.got, error.answer) == (2, got, 7)

    @pytest.mark.parametrize("call", [READ, PARK])
    def test_reads_and_commands_do_not_wait(self, call: Call[Any]) -> None:
        assert Played(call, Answered(7), replicas=self.two).answer == 7


class TestPacing:
    """The follow-up: doubling pauses, jittered, within the stated time."""

    def test_pauses_double_to_half_a_second_and_end_with_the_time(self) -> None:
        seen: list[float] = []
        schedule = pauses(5.0, clock=lambda: sum(seen), jitter=lambda: 1.0)
        while (pause := next(schedule, None)) is not None:
            seen.append(pause)
        assert seen[:7] == [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.5]
        assert max(seen) == 0.5
        assert sum(seen) == pytest.approx(5.0)

    def test_jitter_takes_up_to_half(self) -> None:
        schedule: Iterator[float] = pauses(5.0, clock=lambda: 0.0, jitter=lambda: 0.0)
        assert [next(schedule) for _ in range(3)] == [0.005, 0.01, 0.02]

    def test_time_spent_elsewhere_counts(self) -> None:
        now = 0.0
        schedule = pauses(5.0, clock=lambda: now)
        assert next(schedule, None) is not None
        now = 5.0
        assert next(schedule, None) is None
