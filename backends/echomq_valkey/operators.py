"""Plans of what operators do: pauses, ceilings, weights, surgery; and of waking."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from echomq_core import (
    EchoMQError,
    Keyspace,
    ReassignVerdict,
    RemoveVerdict,
    ReprocessVerdict,
    Swept,
    TooFewReplicas,
    ops,
)

from .calls import CommandCall, Steps
from .claims import script
from .parsing import as_flag, as_text

GroupFlag = ops.Pause | ops.Resume | ops.Unlimit | ops.Unweight


def group_flag(op: GroupFlag) -> Steps[bool]:
    changed: bool = yield script(op, as_flag, op.group)
    return changed


def group_number(op: ops.Limit | ops.Weight) -> Steps[bool]:
    changed: bool = yield script(op, as_flag, op.group, op.n)
    return changed


def queue_flag(op: ops.PauseQueue | ops.ResumeQueue | ops.Wake) -> Steps[bool]:
    changed: bool = yield script(op, as_flag)
    return changed


def reassign(op: ops.Reassign) -> Steps[ReassignVerdict]:
    verdict: str = yield script(op, as_text, op.job_id, op.group)
    return ReassignVerdict(verdict)


def remove(op: ops.Remove) -> Steps[RemoveVerdict]:
    verdict: str = yield script(op, as_text, op.job_id, int(op.force))
    return RemoveVerdict(verdict)


def reprocess(op: ops.Reprocess) -> Steps[ReprocessVerdict]:
    verdict: str = yield script(op, as_text, op.job_id)
    return ReprocessVerdict(verdict)


def drain(op: ops.Drain) -> Steps[int]:
    """In bounded steps; the first fixes the greatest id, so that a busy producer cannot keep it
    going for ever."""
    drained, last_id, more = 0, b"", True
    while more:
        try:
            deleted, last_id, more = yield script(op, tuple, op.group, last_id)
        except EchoMQError as error:
            error.done = drained + _done_in_step(error, 1)
            raise
        drained += deleted
    return drained


def _done_in_step(error: EchoMQError, counts: int) -> int:
    """What a step did that stands on the primary though too few replicas have it."""
    if not isinstance(error, TooFewReplicas):
        return 0
    return sum(cast("Sequence[int]", error.answer)[:counts])


def reap_group(op: ops.ReapGroup) -> Steps[Swept]:
    """In bounded steps past the expired jobs of other groups."""
    returned = dead = 0
    after: tuple[Any, Any] = "", ""
    more = True
    while more:
        maximum = "" if op.max_attempts is None else op.max_attempts
        left = op.limit - returned - dead
        try:
            some, died, more, *last = yield script(op, tuple, op.group, left, maximum, *after)
        except EchoMQError as error:
            error.done = returned + dead + _done_in_step(error, 2)
            raise
        returned, dead, after = returned + some, dead + died, (last[0], last[1])
    return Swept(returned, dead, 0)


def park(op: ops.Park) -> Steps[bool]:
    """Never an endless block: 0 does not block, and the least block is 1 ms (BLPOP 0 is for ever)."""
    key = Keyspace(op.queue).wake
    if op.timeout_ms == 0:
        call = CommandCall(op.verb, ("LPOP", key), _took_token, key=key)
    else:
        seconds = f"{op.timeout_ms // 1000}.{op.timeout_ms % 1000:03d}"
        command = ("BLPOP", key, seconds)
        call = CommandCall(op.verb, command, _took_token, key=key, block_ms=op.timeout_ms)
    token: bool = yield call
    return token


def _took_token(reply: Any) -> bool:
    return reply is not None
