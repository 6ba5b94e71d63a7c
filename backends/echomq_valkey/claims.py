"""Plans of admission, claims, settling and sweeps of single jobs: one script call each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from echomq_core import (
    CompleteVerdict,
    EchoMQError,
    Empty,
    Enqueued,
    ExtendVerdict,
    Job,
    NewJob,
    OutcomeUnknown,
    ReleaseVerdict,
    RetryVerdict,
    Swept,
    TooFewReplicas,
    mint_job_id,
    ops,
)
from echomq_core.checks import cut_error

from .calls import Arg, ScriptCall, Steps
from .parsing import as_text, jobs_or_empty, one_or_empty

A = TypeVar("A")


def script(
    op: ops.QueueOp[Any], parse: Callable[[Any], A], *args: Arg, name: str | None = None
) -> ScriptCall[A]:
    """A call of the script named as the verb, or as `name`."""
    return ScriptCall(op.verb, name or op.verb, op.queue, args, parse, reads=op.reads)


def admission_args(item: NewJob, job_id: str) -> tuple[Arg, ...]:
    run_at = "" if item.run_at_ms is None else item.run_at_ms
    return job_id, item.group, item.payload, item.delay_ms, run_at


def enqueue(op: ops.Enqueue) -> Steps[Enqueued]:
    """Mints an id where none is given. A minted id that is a duplicate on its first send belongs to
    another process: mint again (KEYS-4). Only after a lost reply does *duplicate* mean that the
    first send was admitted (CONN-2)."""
    item = op.as_item()
    while True:
        job_id = op.job_id or mint_job_id()
        call = script(op, bool, *admission_args(item, job_id))
        try:
            duplicate: bool = yield call
        except TooFewReplicas as few:
            if few.answer and op.job_id is None:
                continue
            few.answer = Enqueued(job_id, bool(few.answer))
            raise
        except OutcomeUnknown as lost:
            if op.job_id is not None:
                raise
            return (yield from _send_again(call, job_id, lost))
        if not duplicate or op.job_id is not None:
            return Enqueued(job_id, duplicate)


def _send_again(call: ScriptCall[bool], job_id: str, lost: OutcomeUnknown) -> Steps[Enqueued]:
    """A refusal of the second send says nothing about the first: its outcome is still unknown."""
    try:
        yield call
    except TooFewReplicas as few:
        few.answer = Enqueued(job_id, duplicate=False)
        raise
    except OutcomeUnknown:
        raise
    except EchoMQError as refused:
        raise lost from refused
    return Enqueued(job_id, duplicate=False)


def claim(op: ops.Claim) -> Steps[Job | Empty]:
    answer: Job | Empty = yield script(op, one_or_empty, op.lease_ms)
    return answer


def claim_many(op: ops.ClaimMany | ops.BClaim) -> Steps[list[Job] | Empty]:
    answer: list[Job] | Empty = yield script(op, jobs_or_empty, op.lease_ms, op.n)
    return answer


def wclaim(op: ops.WClaim) -> Steps[list[Job] | Empty]:
    answer: list[Job] | Empty = yield script(op, jobs_or_empty, op.lease_ms)
    return answer


def complete(op: ops.Complete) -> Steps[CompleteVerdict]:
    verdict: str = yield script(op, as_text, op.job_id, op.token)
    return CompleteVerdict(verdict)


def retry(op: ops.Retry) -> Steps[RetryVerdict]:
    verdict: str = yield script(
        op, as_text, op.job_id, op.token, op.delay_ms, op.max_attempts, cut_error(op.error)
    )
    return RetryVerdict(verdict)


def release(op: ops.Release) -> Steps[ReleaseVerdict]:
    verdict: str = yield script(op, as_text, op.job_id, op.token)
    return ReleaseVerdict(verdict)


def extend(op: ops.Extend) -> Steps[ExtendVerdict]:
    verdict: str = yield script(op, as_text, op.job_id, op.token, op.lease_ms)
    return ExtendVerdict(verdict)


def _swept(reply: list[int]) -> Swept:
    return Swept(*reply)


def promote(op: ops.Promote) -> Steps[Swept]:
    answer: Swept = yield script(op, _swept, op.limit)
    return answer


def reap(op: ops.Reap) -> Steps[Swept]:
    maximum = "" if op.max_attempts is None else op.max_attempts
    answer: Swept = yield script(op, _swept, op.limit, maximum)
    return answer
