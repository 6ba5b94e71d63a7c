"""One call from its first byte to its answer, without I/O: the rules of CONN-1, 2 and 4.

What a conversation repeats, and why that is safe: a request that the server refused before it ran
(NOSCRIPT, LOADING, READONLY and their like); and once, a read. Nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn, TypeVar, assert_never

import echomq_lua

from echomq_core import (
    NotApplied,
    OutcomeUnknown,
    Refused,
    ServerTooOld,
    ServerUnusable,
    TooFewReplicas,
)

from .calls import Call, ScriptCall
from .exchange import Answered, ErrorReply, Incoming, Lost, Pause, Request, encoded
from .pacing import pauses
from .replies import is_compile_error, is_transient, server_version, typed_error

__all__ = ["Conversation", "Replicas", "converse"]

A = TypeVar("A")

Conversation = Generator[Request | Pause, Incoming | None, A]

NEEDED_VERSION = "7.0"
MOST_LOADS = 5
"""A script that is gone this often right after it was loaded is being flushed on purpose."""


@dataclass(frozen=True, slots=True)
class Replicas:
    """How many replicas must have a write before its verb answers, and for how long to wait."""

    wanted: int
    wait_ms: int


def converse(
    call: Call[A],
    *,
    replicas: Replicas | None = None,
    pacing: Callable[[], Iterator[float]] = pauses,
) -> Conversation[A]:
    """Carry out one call.

    Raises `OutcomeUnknown`, `NotApplied`, `TooFewReplicas` or a `Refused`; a read that got no
    answer is repeated once, at once.
    """
    schedule = pacing()
    try:
        return (yield from _attempt(call, replicas, schedule))
    except (OutcomeUnknown, NotApplied):
        if not call.reads:
            raise
    return (yield from _attempt(call, replicas, schedule))


def _attempt(
    call: Call[A], replicas: Replicas | None, schedule: Iterator[float]
) -> Conversation[A]:
    request = _request(call)
    loads = 0
    while True:
        incoming = yield request
        if isinstance(incoming, ErrorReply) and incoming.code == "NOSCRIPT" and loads < MOST_LOADS:
            loads += 1
            refused = yield from _load(call)
            if refused is None:
                continue
            incoming = refused
        match incoming:
            case Answered(value):
                answer = call.parse(value)
                break
            case ErrorReply():
                if not is_transient(incoming):
                    raise typed_error(incoming, call.verb, reads=call.reads)
                pause = next(schedule, None)
                if pause is None:
                    raise NotApplied(call.verb, f"the server kept answering {str(incoming)!r}")
                yield Pause(pause)
            case Lost():
                _raise_lost(call.verb, incoming)
            case None:
                raise AssertionError("a request was answered with nothing")
            case _:
                assert_never(incoming)
    if replicas is not None and isinstance(call, ScriptCall) and not call.reads:
        yield from _await_replicas(call.verb, replicas, answer)
    return answer


def _request(call: Call[Any]) -> Request:
    if isinstance(call, ScriptCall):
        sha = echomq_lua.sha1(call.script)
        return Request(encoded(("EVALSHA", sha, len(call.keys), *call.keys, *call.args)))
    return Request(
        encoded(call.command), patience_ms=call.block_ms, parks=call.block_ms is not None
    )


def _raise_lost(verb: str, lost: Lost) -> NoReturn:
    kind = OutcomeUnknown if lost.sent else NotApplied
    raise kind(verb, lost.reason) from lost.cause


def _load(call: Call[Any]) -> Conversation[ErrorReply | None]:
    """Load the script on this connection. Answers a passing refusal, or `None` when it is there.

    Whatever goes wrong here, the script itself has not run.
    """
    if not isinstance(call, ScriptCall):
        raise NotApplied(call.verb, "the server answered NOSCRIPT to a plain command")
    incoming = yield Request(encoded(("SCRIPT", "LOAD", echomq_lua.load(call.script))))
    match incoming:
        case Answered():
            return None
        case ErrorReply() if is_transient(incoming):
            return incoming
        case ErrorReply() if is_compile_error(incoming):
            yield from _refuse_compiler(call.verb, incoming)
        case ErrorReply():
            error = typed_error(incoming, call.verb, reads=True)
            if isinstance(error, ServerUnusable | NotApplied):
                raise error
            raise ServerUnusable(f"{call.verb}: SCRIPT LOAD was refused with {str(incoming)!r}")
        case Lost():
            raise NotApplied(call.verb, incoming.reason) from incoming.cause
    raise AssertionError("a request was answered with nothing")


def _refuse_compiler(verb: str, refusal: ErrorReply) -> Conversation[NoReturn]:
    """Raise `ServerTooOld` when the server's version explains why it cannot read the script."""
    incoming = yield Request(encoded(("INFO", "server")))
    found = server_version(incoming.value) if isinstance(incoming, Answered) else "unknown"
    major = found.split(".", 1)[0]
    if found == "unknown" or (major.isdecimal() and int(major) < int(NEEDED_VERSION[0])):
        raise ServerTooOld(found, NEEDED_VERSION)
    raise Refused(f"{verb}: the server ({found}) cannot compile the script: {refusal.text}")


def _await_replicas(verb: str, replicas: Replicas, answer: object) -> Conversation[None]:
    incoming = yield Request(
        encoded(("WAIT", replicas.wanted, replicas.wait_ms)), patience_ms=replicas.wait_ms
    )
    cause: BaseException | None = None
    got = 0
    match incoming:
        case Answered(value):
            got = int(value)
        case ErrorReply():
            cause = typed_error(incoming, "wait_replicas", reads=True)
        case Lost():
            cause = incoming.cause
    if got < replicas.wanted:
        raise TooFewReplicas(verb, wanted=replicas.wanted, got=got, answer=answer) from cause
