"""Good and bad values for every argument of every verb, and a face on which to try them."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any, TypeVar, cast

import pytest

from echomq_core import InvalidArgument, JobState, NewJob, ops
from echomq_core.verbs import SyncVerbs

A = TypeVar("A")


class Recorder(SyncVerbs):
    """A face without a store: what passes the checks is recorded and answered with `None`."""

    def __init__(self) -> None:
        self.performed: list[ops.Op[Any]] = []

    def _perform(self, op: ops.Op[A]) -> A:
        self.performed.append(op)
        return cast("A", None)

    def close(self) -> None:
        self.performed.clear()


class BytesOfItsOwn(bytes):
    pass


class IntOfItsOwn(int):
    pass


ID = "JOB0KHTOWnGLuC"
JOB: dict[str, object] = {"queue": "q", "job_id": ID}
GROUP: dict[str, object] = {"queue": "q", "group": "g"}
HELD: dict[str, object] = {**JOB, "token": 1}
PAGE: dict[str, object] = {"queue": "q", "cursor": None, "limit": 100}

GOOD: dict[str, dict[str, object]] = {
    "enqueue": {**GROUP, "payload": b"", "job_id": ID, "delay_ms": 0, "run_at_ms": None},
    "claim": {"queue": "q", "lease_ms": 1},
    "complete": HELD,
    "retry": {**HELD, "delay_ms": 0, "max_attempts": 1, "error": ""},
    "release": HELD,
    "extend": {**HELD, "lease_ms": 1},
    "promote": {"queue": "q", "limit": 1},
    "reap": {"queue": "q", "limit": 1, "max_attempts": None},
    "job": JOB,
    "depth": GROUP,
    "snapshot": {"queue": "q", "max_jobs": 1},
    "check": {},
    "enqueue_many": {"queue": "q", "items": [NewJob("g", b"")]},
    "claim_many": {"queue": "q", "lease_ms": 1, "n": 1},
    "bclaim": {"queue": "q", "lease_ms": 1, "n": 1},
    "complete_many": {"queue": "q", "pairs": [(ID, 1)]},
    "extend_many": {"queue": "q", "pairs": [(ID, 1)], "lease_ms": 1},
    "weight": {**GROUP, "n": 1},
    "unweight": GROUP,
    "wclaim": {"queue": "q", "lease_ms": 1},
    "pause": GROUP,
    "resume": GROUP,
    "limit": {**GROUP, "n": 1},
    "unlimit": GROUP,
    "pause_queue": {"queue": "q"},
    "resume_queue": {"queue": "q"},
    "reassign": {**JOB, "group": "g"},
    "drain": GROUP,
    "remove": {**JOB, "force": False},
    "reprocess": JOB,
    "reap_group": {**GROUP, "limit": 1, "max_attempts": None},
    "park": {"queue": "q", "timeout_ms": 0},
    "wake": {"queue": "q"},
    "next_due": {"queue": "q"},
    "depths": {"queue": "q", "groups": ["g"]},
    "lanes": PAGE,
    "ring": PAGE,
    "stats": {"queue": "q"},
    "dead_jobs": PAGE,
    "browse": {**PAGE, "state": JobState.DEAD},
    "configuration": PAGE,
    "explain": {"queue": "q", "job_id": ID, "group": None},
    "fsck": {"queue": "q", "repair": False},
}

TRILLION = 10**12
DOUBLE = 2**53 - 1


def number_range(verb: str, argument: str) -> tuple[int, int] | None:
    """The legal range of an argument, or `None` if it is no number (ARG-numbers)."""
    match verb, argument:
        case _, "lease_ms":
            return 1, TRILLION
        case _, "delay_ms" | "timeout_ms":
            return 0, TRILLION
        case _, "run_at_ms":
            return 0, DOUBLE
        case _, "token" | "max_attempts":
            return 1, DOUBLE
        case "limit", "n":
            return 1, DOUBLE
        case (("weight" | "claim_many" | "bclaim"), "n"):
            return 1, 1_000
        case _, "limit":
            return 1, 1_000
        case _, "max_jobs":
            return 1, 10_000
    return None


NO_NUMBERS: list[object] = [
    True,
    False,
    1.0,
    1.5,
    math.nan,
    math.inf,
    "1",
    b"1",
    Decimal(1),
    IntOfItsOwn(1),
    [1],
]
NO_QUEUES: list[object] = [
    "",
    "emq",
    "a b",
    "a/b",
    "a:b",
    "{a}",
    "ä",
    "q\n",
    "x" * 129,
    None,
    b"q",
    5,
]
NO_NAMES: list[object] = [
    "",
    "x" * 257,
    "é" * 129,
    "a\x00b",
    "a\n",
    "\t",
    "\x7f",
    "\x85",
    "\x9f",
    "\ud800",
    "a\udfff",
    b"g",
    5,
]
NO_JOB_IDS: list[object] = [
    "",
    "JOB",
    "g",
    "USR0KHTOWnGLuC",
    "JOBAzL8n0Y58m8",
    "JOB0KHTOWnGLu",
    "JOB0KHTOWnGLuCC",
    "job0KHTOWnGLuC",
    "JOB0KHTOWnGLu-",
    f"{ID}\n",
    ID.encode(),
    5,
]
NO_PAYLOADS: list[object] = [
    "text",
    bytearray(b"x"),
    memoryview(b"x"),
    BytesOfItsOwn(b"x"),
    None,
    5,
    [b"x"],
]
NO_FLAGS: list[object] = [0, 1, "yes", None]
NO_CURSORS: list[object] = [0, b"x", 5.0]
NO_STATES: list[object] = ["", "completed", "PENDING", None, 1, b"dead", ["dead"]]
NO_LISTS: list[object] = ["text", b"bytes", 5, None]


def bad_values(verb: str, argument: str) -> list[object]:
    bounds = number_range(verb, argument)
    if bounds is not None:
        low, high = bounds
        optional = argument in {"run_at_ms", "max_attempts"} and GOOD[verb][argument] is None
        none: list[object] = [] if optional else [None]
        return [*NO_NUMBERS, *none, low - 1, -1, -(2**63), high + 1, 2**63, 10**30]
    match verb, argument:
        case _, "queue":
            return NO_QUEUES
        case "enqueue", "job_id":
            return NO_JOB_IDS
        case "explain", "job_id":
            return [*NO_NAMES, None]
        case "explain", "group":
            return []  # with a job_id any group is one subject too many
        case _, "job_id" | "group":
            return [*NO_NAMES, None]
        case _, "payload":
            return NO_PAYLOADS
        case _, "error":
            return [b"text", None, 5, ValueError("x")]
        case _, "force" | "repair":
            return NO_FLAGS
        case _, "cursor":
            return NO_CURSORS
        case _, "state":
            return NO_STATES
        case _, "items" | "pairs" | "groups":
            return NO_LISTS
    raise AssertionError(f"no bad values for {verb}({argument})")


def bad_arguments() -> list[tuple[str, str, object]]:
    """(verb, argument, value that is refused) for every argument of every verb."""
    return [
        (verb, argument, value)
        for verb, arguments in GOOD.items()
        for argument in arguments
        for value in bad_values(verb, argument)
    ]


def refusal(verb: str, **arguments: object) -> InvalidArgument:
    """The error of a call that has to be refused; nothing of it may reach the store."""
    face = Recorder()
    with pytest.raises(InvalidArgument) as raised:
        getattr(face, verb)(**{**GOOD[verb], **arguments})
    assert face.performed == []
    return raised.value


def accepted(verb: str, **arguments: object) -> ops.Op[Any]:
    face = Recorder()
    getattr(face, verb)(**{**GOOD[verb], **arguments})
    (op,) = face.performed
    return op
