"""A server made of answers: what a plan asks, and one plausible answer to each call.

Answers are what `parse` would return, since a driver hands that to the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from echomq_valkey.calls import Call, CommandCall, ScriptCall, Steps
from echomq_valkey.plans import plan

from echomq_core import EchoMQError, JobState, NewJob, WrongKeyType, encode_id, ops

__all__ = ["IDS", "QUEUE", "Answer", "calls_of_all_plans", "play"]

A = TypeVar("A")
QUEUE = "q"
IDS = tuple(encode_id("JOB", number) for number in range(1, 40))

Answer = Callable[[Call[Any]], Any]
"""Answers a call, or raises what the driver would raise for it."""


def play(op: ops.Op[A], answer: Answer) -> tuple[A, list[Call[Any]]]:
    """Run the plan of a verb; its own answer, and the calls that it made."""
    calls: list[Call[Any]] = []
    steps: Steps[A] = plan(op)
    try:
        call = next(steps)
        while True:
            calls.append(call)
            try:
                given = answer(call)
            except EchoMQError as error:
                call = steps.throw(error)
            else:
                call = steps.send(given)
    except StopIteration as done:
        return done.value, calls


_ONE_WORD = {
    "complete": "completed",
    "retry": "scheduled",
    "release": "released",
    "extend": "extended",
    "reassign": "reassigned",
    "remove": "removed",
    "reprocess": "reprocessed",
}
_WHOLE: dict[str, Any] = {
    "enqueue": False,
    "reap_group": (1, 0, 0, b"", b""),
    "drain": (3, IDS[0].encode(), 0),
    "sizes": (0, 0, 0, b"0", b"0", 0, 0, 0),
    "rows": ((), b"", b""),
    "fsck_place": ((), 0, b"", b""),
    "fsck_settings": 1,
    "fsck_rows": (),
    "fsck_books": (),
    "fsck_ring": (),
    "next_due": [],
    "diagnose": (b"emq:{q}:ring", b"string", b"list"),
    "explain": (0, [], b"", b"g", 0, 0, b"", 0, 0, -1, -1, ()),
    "snapshot": (b"snapshot", 0, 0, *((),) * 10, b"0", b"0", 0),
}


def plausible(call: Call[Any]) -> Any:
    """An answer that lets every plan go through all its kinds of calls: one lane, one bad setting."""
    if isinstance(call, CommandCall):
        return _command(call)
    match call.script:
        case "enqueue_many":
            return [0] * (len(call.args) // 5), b""
        case "complete_many":
            return [b"completed"] * (len(call.args) // 2), b""
        case "extend_many":
            return [b"extended"] * ((len(call.args) - 1) // 2), b""
        case "depths":
            return (1,) * len(call.args)
        case "lanes":
            return 0, *((1, 0, b"", b"", 0, b""),) * len(call.args)
        case script if script in _ONE_WORD:
            return _ONE_WORD[script]
        case script if script in _WHOLE:
            return _WHOLE[script]
        case script:
            return script


def _command(call: CommandCall[Any]) -> Any:
    match call.command[0]:
        case "LRANGE":
            return ("g",)
        case "HSCAN":
            return b"0", [b"g", b"no number"]
        case "SSCAN":
            return b"0", [b"g"]
        case "SCAN":
            suffix = ":pending" if "pending" in str(call.command[3]) else ""
            prefix = "emq:{q}:g:" if suffix else "emq:{q}:job:"
            return b"0", [f"{prefix}{IDS[0]}{suffix}".encode()]
        case "HGETALL":
            return {}
        case name:
            return name


_EVERY_VERB: tuple[ops.Op[Any], ...] = (
    ops.Enqueue(QUEUE, "g", b"1"),
    ops.EnqueueMany(QUEUE, (NewJob("g", b"1"), NewJob("h", b"2", IDS[0], run_at_ms=5))),
    ops.Claim(QUEUE, 1),
    ops.ClaimMany(QUEUE, 1, 2),
    ops.WClaim(QUEUE, 1),
    ops.BClaim(QUEUE, 1, 2),
    ops.Complete(QUEUE, IDS[0], 1),
    ops.CompleteMany(QUEUE, ((IDS[0], 1), (IDS[1], 1))),
    ops.Retry(QUEUE, IDS[0], 1, 0, 1, "no"),
    ops.Release(QUEUE, IDS[0], 1),
    ops.Extend(QUEUE, IDS[0], 1, 1),
    ops.ExtendMany(QUEUE, ((IDS[0], 1), (IDS[1], 1), (IDS[2], 1)), 1),
    ops.Promote(QUEUE, 1),
    ops.Reap(QUEUE, 1),
    ops.Reap(QUEUE, 1, 3),
    ops.ReapGroup(QUEUE, "g", 1),
    ops.ReapGroup(QUEUE, "g", 1, 3),
    ops.Pause(QUEUE, "g"),
    ops.Resume(QUEUE, "g"),
    ops.Limit(QUEUE, "g", 1),
    ops.Unlimit(QUEUE, "g"),
    ops.Weight(QUEUE, "g", 1),
    ops.Unweight(QUEUE, "g"),
    ops.PauseQueue(QUEUE),
    ops.ResumeQueue(QUEUE),
    ops.Reassign(QUEUE, IDS[0], "h"),
    ops.Drain(QUEUE, "g"),
    ops.Remove(QUEUE, IDS[0], force=True),
    ops.Reprocess(QUEUE, IDS[0]),
    ops.Park(QUEUE, 1),
    ops.Wake(QUEUE),
    ops.NextDue(QUEUE),
    ops.ReadJob(QUEUE, IDS[0]),
    ops.Depth(QUEUE, "g"),
    ops.Depths(QUEUE, ("g", "h")),
    ops.ReadStats(QUEUE),
    ops.Lanes(QUEUE),
    ops.Ring(QUEUE),
    ops.DeadJobs(QUEUE),
    ops.Configuration(QUEUE),
    *(ops.Browse(QUEUE, state) for state in JobState),
    ops.Explain(QUEUE, group="g"),
    ops.Explain(QUEUE, job_id=IDS[0]),
    ops.Snapshot(QUEUE),
    ops.Fsck(QUEUE),
    ops.Fsck(QUEUE, repair=True),
)


@cache
def calls_of_all_plans() -> tuple[ScriptCall[Any], ...]:
    """Every script call that plans make for one operation of each kind, and for a refusal of each."""
    made: list[Call[Any]] = []
    for op in _EVERY_VERB:
        made += play(op, plausible)[1]
        made += _refused(op)
    return tuple(call for call in made if isinstance(call, ScriptCall))


def _refused(op: ops.Op[Any]) -> list[Call[Any]]:
    """What a plan sends after a refusal for a key's type: it looks for the key."""
    made: list[Call[Any]] = []

    def answer(call: Call[Any]) -> Any:
        made.append(call)
        if isinstance(call, ScriptCall) and call.script == "diagnose":
            return plausible(call)
        raise WrongKeyType("unknown", "unknown", "unknown")

    try:
        play(op, answer)
    except WrongKeyType as refused:
        assert refused.key == "emq:{q}:ring"
    return made
