"""What one step may change, written from the clauses and not from the model.

Each judge compares the queue before and after one verb, with the verb and its answer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from echomq_core import QueueSnapshot, ops

from .ledger import claimed, stands
from .predicates import Violation

__all__ = ["JUDGES", "Step", "check_step", "is_claim"]


@dataclass(frozen=True, slots=True)
class Step:
    """One verb that was carried out, with the queue on both sides of it."""

    op: ops.Op[Any]
    answer: Any
    before: QueueSnapshot
    after: QueueSnapshot


def is_claim(op: ops.Op[Any]) -> bool:
    return isinstance(op, ops.Claim | ops.ClaimMany | ops.WClaim | ops.BClaim)


def recounts(step: Step) -> bool:
    """BOOK-1: a ghost dropped from `active`, or a served id that already had an entry there."""
    if isinstance(step.op, ops.Reap):
        return bool(step.answer.dropped)
    if isinstance(step.op, ops.Fsck):
        return step.op.repair
    return is_claim(step.op) and any(job.id in step.before.active for job in claimed(step.answer))


def reads_change_nothing(step: Step) -> Iterator[Violation]:
    if step.op.reads and _content(step.before) != _content(step.after):
        yield Violation("VERB-reads", step.op.verb, "a read changes nothing", "the queue changed")


def _content(snapshot: QueueSnapshot) -> tuple[object, ...]:
    return (
        snapshot.paused,
        snapshot.ring,
        dict(snapshot.lanes),
        dict(snapshot.jobs),
        dict(snapshot.in_flight),
        dict(snapshot.limits),
        dict(snapshot.weights),
        snapshot.paused_groups,
        snapshot.dead,
        snapshot.completed,
        snapshot.failed,
        snapshot.wakes,
    )


def ghost_1_only_admission_makes_rows(step: Step) -> Iterator[Violation]:
    """GHOST-1: no row is made by a verb that was not admission."""
    if isinstance(step.op, ops.Enqueue | ops.EnqueueMany):
        return
    for job_id in sorted(set(step.after.jobs) - set(step.before.jobs)):
        yield Violation("GHOST-1", f"row {job_id} after {step.op.verb}", "no row made", "a new row")


def book_2_claims_stay_below_the_limit(step: Step) -> Iterator[Violation]:
    """BOOK-2: a claim never raises a book above its limit."""
    if not is_claim(step.op):
        return
    for group, count in step.after.in_flight.items():
        limit = step.after.limits.get(group)
        if limit is not None and count > max(limit, step.before.in_flight.get(group, 0)):
            yield Violation(
                "BOOK-2", f"in flight of {group!r} after {step.op.verb}", f"<= {limit}", str(count)
            )


def ring_2_claims_turn_the_ring(step: Step) -> Iterator[Violation]:
    """RING-2: heads are served in ring order, each oldest first, and go to the tail or off."""
    if not is_claim(step.op):
        return
    served = [(job.group, job.id) for job in claimed(step.answer)]
    if step.before.paused:
        if served:
            yield Violation("RING-2", "claim of a paused queue", "nothing served", str(served))
        return
    expected, ring = _turns(step)
    if served != expected:
        yield Violation("RING-2", f"jobs served by {step.op.verb}", str(expected), str(served))
    elif not recounts(step) and step.after.ring != ring:
        yield Violation("RING-2", f"ring after {step.op.verb}", str(ring), str(step.after.ring))


def _turns(step: Step) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    """The jobs that the turns of a claim must serve, and the ring that they must leave."""
    before = step.before
    ring = deque(before.ring)
    lanes = {group: deque(ids) for group, ids in before.lanes.items()}
    flying = dict(before.in_flight)
    served: list[tuple[str, str]] = []

    def turn(most: int) -> None:
        group = ring.popleft()
        lane, limit = lanes.get(group, deque()), before.limits.get(group)
        while lane and most and (limit is None or flying.get(group, 0) < limit):
            job_id = lane.popleft()
            if stands(before, ("lane", group, job_id)):
                served.append((group, job_id))
                flying[group] = flying.get(group, 0) + 1
                most -= 1
        if (
            lane
            and group not in before.paused_groups
            and (limit is None or flying.get(group, 0) < limit)
        ):
            ring.append(group)

    match step.op:
        case ops.ClaimMany(n=n):
            while ring and len(served) < n:
                turn(1)
        case ops.WClaim() if ring:
            turn(before.weights.get(ring[0], 1))
        case ops.BClaim(n=n) if ring:
            turn(n)
        case ops.Claim() if ring:
            turn(1)
        case _:
            pass
    return served, tuple(ring)


def ring_3_joiners_go_to_the_tail(step: Step) -> Iterator[Violation]:
    """RING-3: a verb that is no claim leaves the order of the ring; lanes join at its tail."""
    if is_claim(step.op):
        return
    before, after = step.before.ring, step.after.ring
    stayed = [group for group in before if group in after]
    if list(after[: len(stayed)]) != stayed and not _left_and_rejoined(step):
        yield Violation(
            "RING-3", f"ring after {step.op.verb}", f"{stayed} first, joiners last", str(after)
        )


def _left_and_rejoined(step: Step) -> bool:
    """A repair takes what is wrong off the ring first, and what is missing joins after."""
    return isinstance(step.op, ops.Fsck)


def wake_1_joiners_leave_a_token(step: Step) -> Iterator[Violation]:
    """WAKE-1: whoever puts a lane on the ring leaves a token."""
    if isinstance(step.op, ops.Park):
        return
    joined = set(step.after.ring) - set(step.before.ring)
    if joined and not step.after.wakes:
        yield Violation(
            "WAKE-1", f"{sorted(joined)} joined by {step.op.verb}", "a wake token", "none"
        )
    if step.after.wakes > max(1, step.before.wakes):
        yield Violation("WAKE-1", f"after {step.op.verb}", "one token", f"{step.after.wakes}")


def wake_2_claims_hand_on(step: Step) -> Iterator[Violation]:
    """WAKE-2: a claim that leaves the ring nonempty leaves a token; a refused one leaves none."""
    if not is_claim(step.op):
        return
    if step.before.paused:
        if step.after.wakes > step.before.wakes:
            yield Violation("WAKE-2", "claim of a paused queue", "no token left", "a token")
    elif step.after.ring and not step.after.wakes:
        yield Violation("WAKE-2", f"{step.op.verb} left a ring", "a token handed on", "none")


def wake_4_the_first_scheduled_leaves_a_token(step: Step) -> Iterator[Violation]:
    """WAKE-4: who becomes first in the schedule leaves a token."""
    if not isinstance(step.op, ops.Enqueue | ops.EnqueueMany | ops.Retry):
        return
    after = step.after.schedule
    if not after or step.after.wakes:
        return
    first = min(after, key=lambda job_id: (after[job_id], job_id.encode()))
    before = step.before.schedule
    if before.get(first) is None:
        yield Violation("WAKE-4", f"{first} is first in the schedule now", "a wake token", "none")


def token_1_attempts_never_fall(step: Step) -> Iterator[Violation]:
    """TOKEN-1: attempts grow by one at each claim, and by nothing else; a row's life keeps them."""
    served = {job.id: job.token for job in claimed(step.answer)} if is_claim(step.op) else {}
    for job_id, record in step.after.jobs.items():
        earlier = step.before.jobs.get(job_id)
        base = 0 if earlier is None else earlier.attempts
        expected = base + (job_id in served)
        if record.attempts != expected:
            yield Violation(
                "TOKEN-1",
                f"attempts of {job_id} after {step.op.verb}",
                str(expected),
                str(record.attempts),
            )
    for job_id, token in served.items():
        stored = step.after.jobs.get(job_id)
        if stored is not None and stored.attempts != token:
            yield Violation("TOKEN-1", f"token of {job_id}", str(stored.attempts), str(token))


def field_1_marks(step: Step) -> Iterator[Violation]:
    """FIELD-1: which verb may set and clear `lapsed`, `last_error` and `forgiven`."""
    for job_id, now in step.after.jobs.items():
        was = step.before.jobs.get(job_id)
        if was is None:
            continue
        if now.lapsed and not was.lapsed and not isinstance(step.op, ops.Reap | ops.ReapGroup):
            yield Violation(
                "FIELD-1", f"lapsed of {job_id}", "set by reap alone", f"set by {step.op.verb}"
            )
        if was.lapsed and now.lapsed and now.state != "pending":
            yield Violation("FIELD-1", f"lapsed of {job_id}", f"none in {now.state}", "1")
        if now.forgiven != was.forgiven and not isinstance(step.op, ops.Release | ops.Reprocess):
            yield Violation(
                "FIELD-1",
                f"forgiven of {job_id} after {step.op.verb}",
                str(was.forgiven),
                str(now.forgiven),
            )
        if now.payload != was.payload:
            yield Violation("KEYS-5", f"payload of {job_id}", repr(was.payload), repr(now.payload))
        if now.last_error != was.last_error and not isinstance(
            step.op, ops.Retry | ops.Reap | ops.ReapGroup | ops.Reprocess
        ):
            yield Violation(
                "FIELD-1",
                f"last_error of {job_id} after {step.op.verb}",
                repr(was.last_error),
                repr(now.last_error),
            )


Judge = Callable[[Step], Iterator[Violation]]

JUDGES: tuple[Judge, ...] = (
    reads_change_nothing,
    ghost_1_only_admission_makes_rows,
    token_1_attempts_never_fall,
    book_2_claims_stay_below_the_limit,
    ring_2_claims_turn_the_ring,
    ring_3_joiners_go_to_the_tail,
    wake_1_joiners_leave_a_token,
    wake_2_claims_hand_on,
    wake_4_the_first_scheduled_leaves_a_token,
    field_1_marks,
)


def check_step(step: Step) -> list[Violation]:
    """Every breach that one step shows."""
    return [found for judge in JUDGES for found in judge(step)]
