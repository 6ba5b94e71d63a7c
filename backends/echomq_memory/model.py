"""The oracle: one queue as a pure state machine, without lock, clock, I/O or randomness.

Each verb is one function over `QueueState`, in the module of its kind; this table names them all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self, TypeVar, cast

from echomq_core import ops

from . import (
    admission,
    explaining,
    frozen,
    operators,
    reads,
    repair,
    settling,
    sweeps,
    turns,
    waking,
)
from .frozen import FrozenQueue
from .state import QueueState

__all__ = ["QueueModel"]

A = TypeVar("A")

_VERBS: dict[type[ops.QueueOp[Any]], Callable[[QueueState, Any, int], Any]] = {
    ops.Enqueue: admission.enqueue,
    ops.EnqueueMany: admission.enqueue_many,
    ops.Claim: turns.claim,
    ops.ClaimMany: turns.claim_many,
    ops.WClaim: turns.wclaim,
    ops.BClaim: turns.bclaim,
    ops.Complete: settling.complete,
    ops.CompleteMany: settling.complete_many,
    ops.Retry: settling.retry,
    ops.Release: settling.release,
    ops.Extend: settling.extend,
    ops.ExtendMany: settling.extend_many,
    ops.Promote: sweeps.promote,
    ops.Reap: sweeps.reap,
    ops.ReapGroup: sweeps.reap_group,
    ops.Pause: operators.pause,
    ops.Resume: operators.resume,
    ops.Limit: operators.limit,
    ops.Unlimit: operators.unlimit,
    ops.Weight: operators.weight,
    ops.Unweight: operators.unweight,
    ops.PauseQueue: operators.pause_queue,
    ops.ResumeQueue: operators.resume_queue,
    ops.Reassign: operators.reassign,
    ops.Drain: operators.drain,
    ops.Remove: operators.remove,
    ops.Reprocess: operators.reprocess,
    ops.Park: waking.park,
    ops.Wake: waking.wake,
    ops.NextDue: waking.next_due,
    ops.ReadJob: reads.job,
    ops.Depth: reads.depth,
    ops.Depths: reads.depths,
    ops.ReadStats: reads.stats,
    ops.Lanes: reads.lanes,
    ops.Ring: reads.ring,
    ops.DeadJobs: reads.dead_jobs,
    ops.Configuration: reads.configuration,
    ops.Browse: reads.browse,
    ops.Explain: explaining.explain,
    ops.Snapshot: reads.snapshot,
    ops.Fsck: repair.fsck,
}


class QueueModel:
    """One queue. `apply` carries out one verb at one instant and answers it.

    Not safe under threads: a store adds the lock.
    """

    def __init__(self, queue_name: str) -> None:
        self.state = QueueState(queue_name)

    def apply(self, op: ops.QueueOp[A], now_ms: int) -> A:
        """The verb's answer; the state is then what follows from it. Admissions must carry ids,
        and `Park` takes a token if one is there, without waiting."""
        if op.queue != self.state.queue:
            raise ValueError(f"{op.verb} names queue {op.queue!r}, this is {self.state.queue!r}")
        return cast("A", _VERBS[type(op)](self.state, op, now_ms))

    def lose_row(self, job_id: str) -> bool:
        """The row vanishes behind the queue's back; its entry stays, a ghost (GHOST-1)."""
        return self.state.rows.pop(job_id, None) is not None

    def freeze(self) -> FrozenQueue:
        """The full state as one hashable value; equal values mean equal states."""
        return frozen.freeze(self.state)

    @classmethod
    def thaw(cls, frozen_queue: FrozenQueue) -> Self:
        """A model of its own in a frozen state."""
        model = cls(frozen_queue.queue)
        model.state = frozen.thaw(frozen_queue)
        return model
