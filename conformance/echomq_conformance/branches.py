"""The rare branches of the rules, each recognised from one step of the oracle.

A random run is worth what it reaches, so the report counts these, and a clause whose branch no
step reached is reported as not exercised.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from echomq_core import QueueSnapshot, ops

from .ledger import claimed, stands
from .predicates import serviceable
from .transitions import Step, is_claim, recounts

__all__ = ["BRANCHES", "Branch", "branches_of"]


@dataclass(frozen=True, slots=True)
class Branch:
    """A rare branch: the clauses that it belongs to, how to see it in a step, and the profiles
    without whose verbs no step leads there."""

    clauses: tuple[str, ...]
    taken: Callable[[Step], bool]
    profiles: frozenset[str]


BRANCHES: dict[str, Branch] = {}


def _branch(
    name: str, *clauses: str, needs: tuple[str, ...] = ()
) -> Callable[[Callable[[Step], bool]], Callable[[Step], bool]]:
    def register(taken: Callable[[Step], bool]) -> Callable[[Step], bool]:
        BRANCHES[name] = Branch(clauses, taken, frozenset(needs) | {"core"})
        return taken

    return register


def branches_of(step: Step) -> Iterator[str]:
    """The rare branches that a step took."""
    for name, branch in BRANCHES.items():
        if branch.taken(step):
            yield name


# --- the ring ---------------------------------------------------------------------------------


def _joined(step: Step) -> set[str]:
    return set(step.after.ring) - set(step.before.ring)


def _left(step: Step) -> set[str]:
    return set(step.before.ring) - set(step.after.ring)


def _full(snapshot: QueueSnapshot, group: str) -> bool:
    limit = snapshot.limits.get(group)
    return limit is not None and snapshot.in_flight.get(group, 0) >= limit


@_branch(
    "a claim fills its lane, which leaves the ring with work left",
    "BOOK-2",
    "RING-1",
    needs=("control",),
)
def _fills(step: Step) -> bool:
    return is_claim(step.op) and any(
        group in step.after.lanes and _full(step.after, group) for group in _left(step)
    )


@_branch("a settle lets a full lane rejoin", "RING-1", "RING-3", "WAKE-1", needs=("control",))
def _rejoins(step: Step) -> bool:
    settles = ops.Complete | ops.CompleteMany | ops.Retry | ops.Release
    return isinstance(step.op, settles) and any(
        _full(step.before, group) and group in step.before.lanes for group in _joined(step)
    )


@_branch("several lanes rejoin in one sweep", "RING-3", "VERB-reap", "VERB-promote")
def _several_rejoin(step: Step) -> bool:
    return isinstance(step.op, ops.Reap | ops.Promote) and len(_joined(step)) > 1


@_branch(
    "a sweep returns a job to a paused or full lane",
    "RING-1",
    "VERB-promote",
    "VERB-reap",
    needs=("control",),
)
def _swept_off_the_ring(step: Step) -> bool:
    return isinstance(step.op, ops.Reap | ops.Promote) and any(
        len(ids) > len(step.before.lanes.get(group, ())) and not serviceable(step.after, group)
        for group, ids in step.after.lanes.items()
    )


@_branch("a claim_many comes round to a lane again", "VERB-claim_many", "RING-4", needs=("bulk",))
def _comes_round(step: Step) -> bool:
    groups = [job.group for job in claimed(step.answer)]
    return isinstance(step.op, ops.ClaimMany) and any(
        group in groups[:place] and groups[place - 1] != group
        for place, group in enumerate(groups)
        if place
    )


@_branch("a turn of three or more lanes", "RING-2")
def _three_lanes(step: Step) -> bool:
    return is_claim(step.op) and len(step.before.ring) > 2


@_branch("a limit below what is in flight", "BOOK-2", needs=("control",))
def _lowered(step: Step) -> bool:
    return (
        isinstance(step.op, ops.Limit)
        and bool(step.answer)
        and step.before.in_flight.get(step.op.group, 0) > step.op.n
    )


@_branch(
    "a resume of a full or empty lane clears the flag only",
    "VERB-lanes",
    "RING-1",
    needs=("control",),
)
def _resumes_only(step: Step) -> bool:
    return (
        isinstance(step.op, ops.Resume)
        and bool(step.answer)
        and not serviceable(step.after, step.op.group)
    )


@_branch(
    "a claim of several is held at its lane's headroom",
    "BOOK-2",
    "VERB-weights",
    "VERB-bclaim",
    needs=("control",),
)
def _headroom(step: Step) -> bool:
    if not isinstance(step.op, ops.WClaim | ops.BClaim) or len(step.answer) < 1:
        return False
    group = step.answer[0].group
    asked = step.op.n if isinstance(step.op, ops.BClaim) else step.before.weights.get(group, 1)
    return len(step.answer) < asked and _full(step.after, group)


@_branch("a weighted turn serves several", "VERB-weights", "RING-4", needs=("control",))
def _weighted(step: Step) -> bool:
    return isinstance(step.op, ops.WClaim) and len(step.answer) > 1


# --- ghosts and recounts ----------------------------------------------------------------------


@_branch("a claim meets a ghost at its lane's head", "GHOST-1")
def _ghost_at_head(step: Step) -> bool:
    if not is_claim(step.op) or step.before.paused or not step.before.ring:
        return False
    head = step.before.ring[0]
    lane = step.before.lanes.get(head)
    return bool(lane) and not stands(step.before, ("lane", head, lane[0])) if lane else False


@_branch("a claim serves past a ghost", "GHOST-1", "RING-2")
def _serves_past(step: Step) -> bool:
    return _ghost_at_head(step) and any(
        job.group == step.before.ring[0] for job in claimed(step.answer)
    )


@_branch("a sweep drops a ghost and treats a real entry", "GHOST-1", "VERB-reap", "VERB-promote")
def _mixed_sweep(step: Step) -> bool:
    return isinstance(step.op, ops.Reap | ops.Promote) and bool(
        step.answer.dropped and (step.answer.returned or step.answer.dead)
    )


@_branch("a drain deletes a ghost", "GHOST-1", "VERB-drain", needs=("control",))
def _ghost_in_drain(step: Step) -> bool:
    if not isinstance(step.op, ops.Drain):
        return False
    return bool(step.answer < len(step.before.lanes.get(step.op.group, ())))


@_branch("a claim recounts the books", "BOOK-1", "GHOST-1")
def _claim_recounts(step: Step) -> bool:
    return is_claim(step.op) and recounts(step)


@_branch("a recount frees a lane at its limit", "BOOK-1", "RING-3", needs=("control",))
def _recount_at_limit(step: Step) -> bool:
    return recounts(step) and any(
        _full(step.before, group) and step.before.lanes.get(group) for group in _joined(step)
    )


@_branch("a lost id is admitted again while an entry of it is left", "GHOST-1")
def _comes_back(step: Step) -> bool:
    if not isinstance(step.op, ops.Enqueue) or step.answer.duplicate:
        return False
    before, job_id = step.before, step.answer.id
    return (
        job_id in before.active
        or job_id in before.schedule
        or any(job_id in lane for lane in before.lanes.values())
    )


# --- tokens and marks -------------------------------------------------------------------------


def _late(step: Step) -> list[str]:
    pairs: ops.Pairs
    match step.op:
        case ops.Complete():
            pairs, verdicts = ((step.op.job_id, step.op.token),), [step.answer]
        case ops.CompleteMany():
            pairs, verdicts = step.op.pairs, step.answer
        case _:
            return []
    return [
        job_id
        for (job_id, _), verdict in zip(pairs, verdicts, strict=False)
        if verdict == "completed" and step.before.jobs[job_id].state == "pending"
    ]


@_branch("a late complete", "TOKEN-2")
def _late_complete(step: Step) -> bool:
    return bool(_late(step))


@_branch("a late complete empties its lane", "TOKEN-2", "RING-1", "RING-5")
def _late_empties(step: Step) -> bool:
    return bool(_late(step)) and bool(_left(step))


@_branch("a claim clears a lapsed mark", "TOKEN-2", "FIELD-1")
def _clears(step: Step) -> bool:
    return is_claim(step.op) and any(
        step.before.jobs[job.id].lapsed
        for job in claimed(step.answer)
        if job.id in step.before.jobs
    )


@_branch("a complete of a pending job without the mark is stale", "TOKEN-2")
def _no_mark(step: Step) -> bool:
    if not isinstance(step.op, ops.Complete) or step.answer != "stale":
        return False
    row = step.before.jobs[step.op.job_id]
    return row.state == "pending" and not row.lapsed and row.attempts == step.op.token


@_branch("an extend of a reaped job is stale", "TOKEN-2", "VERB-extend")
def _no_revival(step: Step) -> bool:
    if not isinstance(step.op, ops.Extend) or step.answer != "stale":
        return False
    row = step.before.jobs[step.op.job_id]
    return row.state == "pending" and row.attempts == step.op.token


@_branch("an expired job is settled before it is reaped", "CLOCK-1")
def _expired_settled(step: Step) -> bool:
    return (
        isinstance(step.op, ops.Complete | ops.Retry | ops.Release | ops.Extend)
        and step.answer not in ("stale", "gone")
        and step.before.active.get(step.op.job_id, step.after.now_ms + 1) <= step.after.now_ms
    )


@_branch("forgiven attempts keep a job from dead", "FIELD-1", "VERB-retry", "VERB-reap")
def _forgiven(step: Step) -> bool:
    if isinstance(step.op, ops.Retry) and step.answer == "scheduled":
        row = step.before.jobs[step.op.job_id]
        return bool(row.forgiven) and row.attempts >= step.op.max_attempts
    if isinstance(step.op, ops.Reap) and step.op.max_attempts is not None and step.answer.returned:
        most = step.op.max_attempts
        return any(
            now.lapsed and not step.before.jobs[job_id].lapsed and now.attempts >= most
            for job_id, now in step.after.jobs.items()
            if job_id in step.before.jobs
        )
    return False


@_branch("a sweep stops at its limit", "VERB-reap", "VERB-promote")
def _stops(step: Step) -> bool:
    if isinstance(step.op, ops.Reap):
        place = step.before.active
    elif isinstance(step.op, ops.Promote):
        place = step.before.schedule
    else:
        return False
    due = sum(score <= step.after.now_ms for score in place.values())
    return bool(due > step.op.limit == step.answer.total)


@_branch(
    "reap_group passes over another group's expired job", "VERB-reap_group", needs=("control",)
)
def _passes_over(step: Step) -> bool:
    if not isinstance(step.op, ops.ReapGroup) or not step.answer.total:
        return False
    before = step.before
    mine = [
        due
        for job_id, due in before.active.items()
        if stands(before, ("active", "", job_id)) and before.jobs[job_id].group == step.op.group
    ]
    return bool(mine) and min(before.active.values()) < min(mine)


# --- operators and bulk -----------------------------------------------------------------------


def _target_is(step: Step, test: Callable[[QueueSnapshot, str], bool]) -> bool:
    return (
        isinstance(step.op, ops.Reassign)
        and step.answer == "reassigned"
        and test(step.before, step.op.group)
    )


@_branch("a reassign to a paused lane", "VERB-reassign", "RING-3", needs=("control",))
def _to_paused(step: Step) -> bool:
    return _target_is(step, lambda before, group: group in before.paused_groups)


@_branch("a reassign to a full lane", "VERB-reassign", "RING-3", needs=("control",))
def _to_full(step: Step) -> bool:
    return _target_is(step, _full)


@_branch("a reassign empties its source", "VERB-reassign", "RING-3", needs=("control",))
def _empties_source(step: Step) -> bool:
    return _target_is(
        step,
        lambda before, _: any(
            list(ids) == [getattr(step.op, "job_id", "")] for ids in before.lanes.values()
        ),
    )


@_branch("a remove of an active job frees a full lane", "VERB-remove", "RING-1", needs=("control",))
def _frees_by_remove(step: Step) -> bool:
    return isinstance(step.op, ops.Remove) and step.answer == "removed" and bool(_joined(step))


@_branch("one id twice in a bulk verb", "VERB-bulk", needs=("bulk",))
def _twice(step: Step) -> bool:
    match step.op:
        case ops.CompleteMany() | ops.ExtendMany():
            ids = Counter(job_id for job_id, _ in step.op.pairs)
        case ops.EnqueueMany():
            ids = Counter(item.job_id or "" for item in step.op.items)
        case _:
            return False
    return any(count > 1 for count in ids.values())


@_branch("a first entry of the schedule leaves a token", "WAKE-4")
def _first_scheduled(step: Step) -> bool:
    if not isinstance(step.op, ops.Enqueue | ops.Retry) or _joined(step):
        return False
    first = len(step.after.schedule) > len(step.before.schedule)
    return first and step.after.wakes > step.before.wakes


@_branch("an admission to a paused lane or queue", "VERB-enqueue", needs=("control",))
def _admits_paused(step: Step) -> bool:
    return (
        isinstance(step.op, ops.Enqueue)
        and not step.answer.duplicate
        and (step.before.paused or step.op.group in step.before.paused_groups)
    )


@_branch("a reprocessed job finds its lane full", "VERB-reprocess", "RING-3", needs=("control",))
def _reprocess_full(step: Step) -> bool:
    return (
        isinstance(step.op, ops.Reprocess)
        and step.answer == "reprocessed"
        and _full(step.after, step.after.jobs[step.op.job_id].group or "")
    )
