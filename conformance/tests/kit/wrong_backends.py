"""Backends with one deliberate fault each, over the memory backend: what the kit must catch.

A fault is a function of the queue's state, the operation, and the right verb to call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from echomq_conformance import Clock, Target
from echomq_memory import MemoryBackend, QueueModel, Store
from echomq_memory.state import QueueState

from echomq_core import Backend, Empty, Job, JobState, Page, Swept, ops

__all__ = ["FAULTS", "Fault", "target_with"]

A = TypeVar("A")

Do = Callable[[ops.Op[Any]], Any]


@dataclass(frozen=True, slots=True)
class Fault:
    """A single fault: what it does wrong, and the clause that a run must name."""

    name: str
    clause: str
    act: Callable[[QueueState, ops.QueueOp[Any], Do], Any]
    machine: bool = True


FAULTS: list[Fault] = []


def _fault(clause: str, *, machine: bool = True) -> Callable[[Callable[..., Any]], None]:
    def register(act: Callable[..., Any]) -> None:
        FAULTS.append(Fault(act.__name__.lstrip("_"), clause, act, machine))

    return register


class _Faulty(MemoryBackend):
    fault: Fault

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.QueueOp):
            queues = self.store._queues
            model = queues.setdefault(op.queue, QueueModel(op.queue))
            answer: A = self.fault.act(model.state, op, super()._perform)
            return answer
        return super()._perform(op)


def target_with(fault: Fault) -> Target:
    """A target whose backend has this fault."""
    stores: list[Store] = []

    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Backend]:
        stores.append(Store(clock))
        backend = _Faulty(store=stores[-1])
        backend.fault = fault
        with backend:
            yield backend

    def lose_row(queue: str, job_id: str) -> None:
        stores[-1].lose_row(queue, job_id)

    claims = frozenset({"core", "control", "bulk", "wake"})
    return Target(f"faulty-{fault.name}", "0", claims, lose_row, open=opened)


@_fault("TOKEN-1")
def _stale_token_is_accepted(q: QueueState, op: Any, do: Do) -> Any:
    row = q.rows.get(op.job_id) if isinstance(op, ops.Complete) else None
    if row is not None and row.state is JobState.ACTIVE:
        op = replace(op, token=row.attempts)
    return do(op)


@_fault("RING-1")
def _complete_forgets_to_rejoin(q: QueueState, op: Any, do: Do) -> Any:
    before = set(q.ring)
    answer = do(op)
    if isinstance(op, ops.Complete):
        for group in set(q.ring) - before:
            del q.ring[group]
    return answer


@_fault("RING-3")
def _complete_rejoins_at_the_head(q: QueueState, op: Any, do: Do) -> Any:
    before = set(q.ring)
    answer = do(op)
    if isinstance(op, ops.Complete | ops.Retry | ops.Release | ops.Enqueue):
        for group in set(q.ring) - before:
            q.ring.move_to_end(group, last=False)
    return answer


@_fault("VERB-enqueue")
def _duplicate_overwrites(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Enqueue) and answer.duplicate:
        q.rows[answer.id].payload = op.payload
    return answer


@_fault("BOOK-2")
def _batch_ignores_the_limit(q: QueueState, op: Any, do: Do) -> Any:
    if not isinstance(op, ops.BClaim | ops.WClaim):
        return do(op)
    limits, q.limits = q.limits, {}
    answer = do(op)
    q.limits = limits
    for group in limits:
        q.settle(group)
    return answer


@_fault("BOOK-1")
def _reap_keeps_the_count(q: QueueState, op: Any, do: Do) -> Any:
    books = dict(q.in_flight)
    answer = do(op)
    if isinstance(op, ops.Reap) and answer.returned:
        q.in_flight = books
        for group in list(q.lanes):
            q.settle(group)
    return answer


@_fault("TOKEN-2")
def _extend_revives_a_reaped_job(q: QueueState, op: Any, do: Do) -> Any:
    row = q.rows.get(op.job_id) if isinstance(op, ops.Extend) else None
    if row is not None and row.lapsed and row.attempts == op.token:
        q.leave_lane(row)
        q.enter_active(row, 0)
        row.lapsed = False
        q.settle(row.group)
    return do(op)


@_fault("RING-1")
def _pause_leaves_the_lane_on_the_ring(q: QueueState, op: Any, do: Do) -> Any:
    was_there = isinstance(op, ops.Pause) and op.group in q.ring
    answer = do(op)
    if was_there:
        q.ring[op.group] = None
    return answer


@_fault("RING-1")
def _promote_ignores_a_pause(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Promote):
        for group in q.lanes:
            if not q.is_full(group):
                q.ring.setdefault(group, None)
    return answer


@_fault("VERB-drain")
def _drain_counts_ghosts(q: QueueState, op: Any, do: Do) -> Any:
    entries = len(q.lanes.get(op.group, ())) if isinstance(op, ops.Drain) else 0
    answer = do(op)
    return entries if isinstance(op, ops.Drain) else answer


@_fault("WAKE-2")
def _claim_hands_no_wake_on(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Claim):
        q.wakes = 0
    return answer


@_fault("WAKE-1")
def _a_second_token_is_pushed(q: QueueState, op: Any, do: Do) -> Any:
    wakes, ring = q.wakes, len(q.ring)
    answer = do(op)
    if isinstance(op, ops.Enqueue) and len(q.ring) > ring:
        q.wakes = wakes + 1
    return answer


@_fault("RING-2")
def _youngest_first_in_lanes_of_three(q: QueueState, op: Any, do: Do) -> Any:
    held: list[str] = []
    group = next(iter(q.ring), None)
    if isinstance(op, ops.Claim) and group is not None and len(q.lanes[group]) > 2:
        held = q.lanes[group].ids()[:-1]
        for job_id in held[1:]:
            q.lanes[group].discard(job_id)
        q.lanes[group].discard(held[0])
    answer = do(op)
    for job_id in held:
        q.enter_lane(q.rows[job_id]) if job_id in q.rows else None
    if held:
        assert group is not None
        q.settle(group)
    return answer


@_fault("TOKEN-1")
def _token_is_not_bumped_after_a_release(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Claim) and isinstance(answer, Job) and q.rows[answer.id].forgiven:
        q.rows[answer.id].attempts -= 1
        return replace(answer, token=answer.token - 1)
    return answer


@_fault("KEYS-5")
def _payload_goes_through_text(q: QueueState, op: Any, do: Do) -> Any:
    if isinstance(op, ops.Enqueue):
        op = replace(op, payload=op.payload.decode(errors="replace").encode())
    return do(op)


@_fault("CLOCK-1")
def _lease_is_in_seconds(q: QueueState, op: Any, do: Do) -> Any:
    if isinstance(op, ops.Claim):
        op = replace(op, lease_ms=max(1, op.lease_ms // 1_000))
    return do(op)


@_fault("FIELD-1")
def _release_forgives_nothing(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Release) and answer == "released":
        q.rows[op.job_id].forgiven -= 1
    return answer


@_fault("RING-3")
def _sweep_joins_lanes_by_name(q: QueueState, op: Any, do: Do) -> Any:
    before = set(q.ring)
    answer = do(op)
    if isinstance(op, ops.Reap | ops.Promote):
        for group in sorted(set(q.ring) - before):
            q.ring.move_to_end(group)
    return answer


@_fault("GHOST-1")
def _a_ghost_is_reported_as_empty_ring(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(answer, Empty) and answer.reason == "ghost":
        return replace(answer, reason=type(answer.reason).RING_EMPTY)
    return answer


@_fault("VERB-reap")
def _reap_counts_the_dead_as_returned(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Reap):
        return Swept(answer.returned + answer.dead, 0, answer.dropped)
    return answer


@_fault("PAGE-1")
def _pages_end_too_early(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    return replace(answer, cursor=None) if isinstance(answer, Page) else answer


@_fault("STATE-1")
def _retry_leaves_the_lease(q: QueueState, op: Any, do: Do) -> Any:
    answer = do(op)
    if isinstance(op, ops.Retry) and answer == "scheduled":
        q.active.add(op.job_id, 1)
    return answer
