"""Every verb as a plan: a generator of calls that takes their answers and returns the verb's own.

No I/O: the sync and the async driver send the same plans, so they cannot drift, and a plan can be
run in a test without a server.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from echomq_core import WrongKeyType, ops

from . import bulk, checking, claims, operators, reads, repair
from .calls import ScriptCall, Steps
from .parsing import as_text

__all__ = ["plan"]

A = TypeVar("A")

_PLANS: dict[type[ops.Op[Any]], Callable[[Any], Steps[Any]]] = {
    ops.Enqueue: claims.enqueue,
    ops.EnqueueMany: bulk.enqueue_many,
    ops.Claim: claims.claim,
    ops.ClaimMany: claims.claim_many,
    ops.WClaim: claims.wclaim,
    ops.BClaim: claims.claim_many,
    ops.Complete: claims.complete,
    ops.CompleteMany: bulk.complete_many,
    ops.Retry: claims.retry,
    ops.Release: claims.release,
    ops.Extend: claims.extend,
    ops.ExtendMany: bulk.extend_many,
    ops.Promote: claims.promote,
    ops.Reap: claims.reap,
    ops.ReapGroup: operators.reap_group,
    ops.Pause: operators.group_flag,
    ops.Resume: operators.group_flag,
    ops.Limit: operators.group_number,
    ops.Unlimit: operators.group_flag,
    ops.Weight: operators.group_number,
    ops.Unweight: operators.group_flag,
    ops.PauseQueue: operators.queue_flag,
    ops.ResumeQueue: operators.queue_flag,
    ops.Reassign: operators.reassign,
    ops.Drain: operators.drain,
    ops.Remove: operators.remove,
    ops.Reprocess: operators.reprocess,
    ops.Park: operators.park,
    ops.Wake: operators.queue_flag,
    ops.NextDue: reads.next_due,
    ops.ReadJob: reads.job,
    ops.Depth: reads.depth,
    ops.Depths: reads.depths,
    ops.ReadStats: reads.stats,
    ops.Lanes: reads.lanes,
    ops.Ring: reads.ring,
    ops.DeadJobs: reads.dead_jobs,
    ops.Configuration: reads.configuration,
    ops.Browse: reads.browse,
    ops.Explain: reads.explain,
    ops.Check: checking.check,
    ops.Snapshot: reads.snapshot,
    ops.Fsck: repair.fsck,
}


def plan(op: ops.Op[A]) -> Steps[A]:
    """The plan of a verb. Drive it with `send(answer)`, or `throw(error)` for a call that failed."""
    try:
        return (yield from cast("Steps[A]", _PLANS[type(op)](op)))
    except WrongKeyType as refused:
        if not isinstance(op, ops.QueueOp) or refused.key != "unknown":
            raise
        yield from _name_key(op, refused)
        raise


def _name_key(op: ops.QueueOp[Any], refused: WrongKeyType) -> Steps[None]:
    """The server's refusal names no key: find it, after the fact, so that hot scripts need not."""
    ids, groups = _names(op)
    wrong = yield ScriptCall(
        op.verb, "diagnose", op.queue, (len(ids), *ids, *groups), tuple, reads=True
    )
    if wrong:
        key, found, expected = (as_text(part) for part in wrong)
        named = WrongKeyType(key, found, expected)
        named.verdicts, named.done = refused.verdicts, refused.done
        raise named from refused


def _names(op: ops.QueueOp[Any]) -> tuple[list[str], list[str]]:
    """Ids and groups that an operation names, as far as one request carries them."""
    ids: list[str] = []
    groups: list[str] = []
    match op:
        case ops.JobOp(job_id=job_id):
            ids = [job_id]
        case ops.CompleteMany(pairs=pairs) | ops.ExtendMany(pairs=pairs):
            ids = [job_id for job_id, _ in pairs]
        case ops.EnqueueMany(items=items):
            groups = [item.group for item in items]
            ids = [item.job_id for item in items if item.job_id]
        case ops.Enqueue(job_id=str(job_id)) | ops.Explain(job_id=str(job_id)):
            ids = [job_id]
        case ops.Depths(groups=asked):
            groups = list(asked)
    group = getattr(op, "group", None)
    if group:
        groups.append(group)
    return list(dict.fromkeys(ids))[:1_500], list(dict.fromkeys(groups))[:1_500]
