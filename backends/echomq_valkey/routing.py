"""The rules of a cluster for one conversation, without I/O: who is asked next, and how.

A refusal that names another node (MOVED, ASK) is followed at once, a few times; what is left is a
refusal like any other, which the conversation itself follows up with pauses (CONN-2).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from echomq_core.keyspace import VERSION_KEY, slot_of

from .calls import Call, ScriptCall
from .conversation import Conversation
from .exchange import Answered, ErrorReply, Incoming, Lost, Pause, Request

__all__ = ["MOST_HOPS", "Redirect", "Routed", "doubts", "redirect_of", "routed", "slot_of_call"]

A = TypeVar("A")

MOST_HOPS = 5
"""Redirections that are followed without a pause; more mean that the nodes do not agree yet."""

AFTER_UNBLOCKED_S = 0.01

_DOUBTS = frozenset({"CLUSTERDOWN", "LOADING", "MASTERDOWN", "READONLY", "UNBLOCKED"})


@dataclass(frozen=True, slots=True)
class Redirect:
    """Go on at another node. `host` is empty for the one that was asked.

    `lasting`: the slot has moved there (MOVED); else it is on the move, and this one conversation
    goes there until it pauses (ASK).
    """

    slot: int
    host: str
    port: int
    lasting: bool


Routed = Generator[Request | Pause | Redirect, Incoming | None, A]


def slot_of_call(call: Call[Any]) -> int:
    """The slot whose owner a call is for; a call without a key goes where the version fence is."""
    if isinstance(call, ScriptCall):
        return slot_of(call.keys[0])
    return slot_of(VERSION_KEY if call.key is None else call.key)


def redirect_of(incoming: Incoming) -> Redirect | None:
    """Where a refusal says to go; `None` for any other reply."""
    if not isinstance(incoming, ErrorReply) or incoming.code not in {"MOVED", "ASK"}:
        return None
    slot, _, address = incoming.text.partition(" ")
    host, _, port = address.rpartition(":")
    if not (slot.isdecimal() and port.isdecimal()):
        return None
    # A node that does not know another's name says `?`.
    return Redirect(int(slot), "" if host == "?" else host, int(port), incoming.code == "MOVED")


def doubts(incoming: Incoming) -> bool:
    """Whether it casts doubt on who serves what, so that the nodes must be asked again."""
    if isinstance(incoming, Lost):
        return True
    return isinstance(incoming, ErrorReply) and incoming.code in _DOUBTS


def routed(conversation: Conversation[A], clock: Callable[[], float] = time.monotonic) -> Routed[A]:
    """Carry a conversation over several nodes.

    After an ASK each request to the other node has ASKING in front of it, on one connection. A
    parked request that has to be made again asks for the time that is left, by `clock` in seconds;
    when none is left it is answered as one that timed out.
    """
    incoming: Incoming | None = None
    hops, asking = 0, False
    end: float | None = None
    while True:
        try:
            step = conversation.send(incoming)
        except StopIteration as done:
            answer: A = done.value
            return answer
        if isinstance(step, Pause):
            hops, asking = 0, False
            yield step if end is None else Pause(max(min(step.seconds, end - clock()), 0.0))
            incoming = None
            continue
        request = step
        while True:
            if request.parks:
                if end is None:
                    end = clock() + (request.patience_ms or 0) / 1000
                elif (left_ms := round((end - clock()) * 1000)) > 0:
                    request = _shortened(request, left_ms)
                else:
                    incoming = Answered(None)
                    break
            incoming = yield from _sent(request, asking=asking)
            if hops == MOST_HOPS:
                break
            redirect = redirect_of(incoming)
            if redirect is not None:
                asking = not redirect.lasting
                yield redirect
            elif request.parks and _was_unblocked(incoming):
                asking = False
                yield Pause(AFTER_UNBLOCKED_S)
            else:
                break
            hops += 1


def _was_unblocked(incoming: Incoming) -> bool:
    """A primary that is demoted sends its parked clients away; no token was taken."""
    return isinstance(incoming, ErrorReply) and incoming.code == "UNBLOCKED"


def _shortened(request: Request, left_ms: int) -> Request:
    """The same block for no longer than is left; its last argument is its time-out in seconds."""
    seconds = f"{left_ms // 1000}.{left_ms % 1000:03d}".encode()
    return replace(request, parts=(*request.parts[:-1], seconds), patience_ms=left_ms)


def _sent(request: Request, *, asking: bool) -> Generator[Request, Incoming | None, Incoming]:
    if asking:
        leave = yield Request((b"ASKING",), parks=request.parks)
        if isinstance(leave, Lost):
            return Lost(False, leave.reason, leave.cause)
        if not isinstance(leave, Answered):
            assert leave is not None
            return leave
    incoming = yield request
    assert incoming is not None
    return incoming
