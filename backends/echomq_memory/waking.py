"""The wake token and the next time that something is due (WAKE-1 to WAKE-4)."""

from __future__ import annotations

from echomq_core import ops

from .state import QueueState

__all__ = ["next_due", "park", "wake"]


def park(q: QueueState, _op: ops.Park, _now_ms: int) -> bool:
    """Take a token if one is there. Waiting for one is the store's business."""
    if not q.wakes:
        return False
    q.wakes -= 1
    return True


def wake(q: QueueState, _op: ops.Wake, _now_ms: int) -> bool:
    if q.wakes or not (q.ring or q.schedule):
        return False
    q.leave_token()
    return True


def next_due(q: QueueState, _op: ops.NextDue, now_ms: int) -> int | None:
    times = [first[0] for first in (q.schedule.first(), q.active.first()) if first is not None]
    return max(0, min(times) - now_ms) if times else None
