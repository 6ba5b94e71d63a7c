"""Directed scenes: short sequences that lead into the rare branches of the rules.

A scene first brings its queue to rest through verbs, so it reaches its branch whatever came before,
and draws its variants, so no two runs through it are quite alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from echomq_core import JobState, ops

from .ghost_scenes import (
    ghost_at_the_head,
    ghost_drained,
    ghost_falls_due,
    id_comes_back,
    nothing_but_ghosts,
    recount_by_a_claim,
    recount_by_a_sweep,
)
from .stage import A, B, C, D, E, F, Stage

__all__ = ["SCENES", "Scene"]


Scene = Callable[[Stage], None]


def several_rejoin(s: Stage) -> None:
    """Three full lanes whose holders expire, or three lanes that fall due, in one sweep."""
    if s.game.draw.chance(30):
        for group, job_id in ((s.k, A), (s.g, B), (s.h, C)):
            s.delay(group, job_id)
        s.expire()
        s.game.do(ops.Promote(s.q, 100))
        return
    for group, ids in ((s.h, (A, B)), (s.g, (C, D)), (s.k, (E, F))):
        s.limit(group, 1)
        s.add(group, *ids)
    s.claim(3)
    s.expire()
    s.reap(s.game.draw.one((None, 1, 1)))
    s.claim(3)


def late_complete(s: Stage) -> None:
    """Reaped, and its holder completes it after all; perhaps it was the lane's last."""
    ids = s.game.draw.one(((A,), (A, B)))
    s.add(s.g, *ids)
    s.claim()
    s.expire()
    s.reap()
    if s.game.draw.chance(50):
        s.complete(A, 1)
    else:
        s.game.do(ops.CompleteMany(s.q, ((A, 1), (A, 1))))


def late_complete_empties(s: Stage) -> None:
    """A late complete of a lane's only job takes the lane off the ring."""
    s.add(s.g, A)
    s.add(s.h, B)
    s.claim()
    s.expire()
    s.reap()
    s.complete(A, 1)


def held_at_headroom(s: Stage) -> None:
    """A batch and a weighted turn that would pass the limit."""
    s.limit(s.g, 2)
    s.game.do(ops.Weight(s.q, s.g, 3))
    s.add(s.g, A, B, C, D)
    if s.game.draw.chance(50):
        s.game.do(ops.BClaim(s.q, s.game.span_ms(), 4))
    else:
        s.game.do(ops.WClaim(s.q, s.game.span_ms()))
    s.complete(A, 1)
    s.claim_somehow()


def comes_round(s: Stage) -> None:
    """Three uneven lanes and one call that takes more than a round."""
    s.add(s.g, A, B, C)
    s.add(s.h, D, E)
    s.add(s.k, F)
    s.claim(s.game.draw.one((4, 5, 10)))


def forgiven(s: Stage) -> None:
    """A released attempt does not count against the maximum."""
    s.add(s.g, A)
    s.claim()
    s.game.do(ops.Release(s.q, A, 1))
    s.claim()
    if s.game.draw.chance(50):
        s.retry(A, 2, 2)
    else:
        s.expire()
        s.reap(2)


def reprocess_when_full(s: Stage) -> None:
    """A dead job returns to a lane that is full."""
    s.limit(s.g, 1)
    s.add(s.g, A)
    s.claim()
    s.retry(A, 1, 1)
    s.add(s.g, B)
    s.claim()
    s.game.do(ops.Explain(s.q, job_id=A))
    s.game.do(ops.Reprocess(s.q, A))
    s.game.do(ops.Explain(s.q, group=s.g))
    s.claim_somehow()
    s.complete(B, 1)
    s.claim()


def limit_lowered(s: Stage) -> None:
    """A limit below what is in flight, then paused, raised and dropped in some order."""
    s.add(s.g, A, B, C, D)
    s.claim(3)
    s.limit(s.g, 1)
    undo: list[ops.QueueOp[Any]] = [
        ops.Pause(s.q, s.g),
        ops.Resume(s.q, s.g),
        ops.Limit(s.q, s.g, 4),
        ops.Unlimit(s.q, s.g),
    ]
    for _ in range(3):
        s.game.do(s.game.draw.one(undo))
    s.complete(A, 1)


def reassigned(s: Stage) -> None:
    """To a paused lane, to a full lane, of a lane's last job, to its own lane."""
    s.add(s.g, A)
    s.limit(s.k, 1)
    s.add(s.k, B, C)
    s.claim(2)
    s.add(s.g, D)
    s.game.do(ops.Pause(s.q, s.h))
    s.game.do(ops.Reassign(s.q, D, s.game.draw.one((s.h, s.k, s.g))))
    s.game.do(ops.Reassign(s.q, C, s.game.draw.one((s.h, s.g))))
    s.game.do(ops.Reassign(s.q, A, s.h))


def removed_at_the_limit(s: Stage) -> None:
    s.limit(s.g, 1)
    s.add(s.g, A, B)
    s.claim()
    s.game.do(ops.Remove(s.q, A, force=False))
    s.game.do(ops.Remove(s.q, A, force=True))
    s.claim_somehow()
    s.complete(A, 1)


def old_tokens(s: Stage) -> None:
    """Every settle with a token that was spent, on an active job and on a reaped one."""
    s.add(s.g, A)
    s.claim()
    s.game.do(ops.Release(s.q, A, 1))
    s.complete(A, 1)
    s.claim()
    s.complete(A, 1)
    s.retry(A, 1, 1)
    s.game.do(ops.Release(s.q, A, 1))
    s.game.do(ops.Extend(s.q, A, 1, s.game.span_ms()))
    s.expire()
    s.reap()
    s.game.do(ops.Extend(s.q, A, 2, s.game.span_ms()))
    s.game.do(ops.Release(s.q, A, 2))
    s.game.do(ops.ExtendMany(s.q, ((A, 2), (A, 1)), s.game.span_ms()))
    s.claim()


def settled_after_expiry(s: Stage) -> None:
    """An expired job is active until it is reaped."""
    s.add(s.g, A)
    s.claim()
    s.expire()
    match s.game.draw.one(("complete", "retry", "release", "extend")):
        case "complete":
            s.complete(A, 1)
        case "retry":
            s.retry(A, 1, s.game.draw.one((1, 5)))
        case "release":
            s.game.do(ops.Release(s.q, A, 1))
        case _:
            s.game.do(ops.Extend(s.q, A, 1, s.game.span_ms()))
    s.reap()


def queue_paused(s: Stage) -> None:
    """No claim serves a paused queue; admissions and settles go on."""
    s.add(s.g, A)
    s.claim()
    s.add(s.g, B)
    s.game.do(ops.Park(s.q, 0))
    s.game.do(ops.PauseQueue(s.q))
    for claim in s.claims():
        s.game.do(claim)
    s.add(s.h, C)
    s.complete(A, 1)
    s.game.do(ops.Explain(s.q, job_id=B))
    s.game.do(ops.ResumeQueue(s.q))
    s.claim_somehow()


def reaped_behind_others(s: Stage) -> None:
    """One group's expired job, with another group's before it."""
    s.add(s.h, A, B)
    s.claim(2)
    s.add(s.g, C)
    s.claim()
    s.expire()
    s.game.do(ops.ReapGroup(s.q, s.g, s.game.draw.one((1, 100)), s.game.draw.one((None, 1))))
    s.reap(limit=1)


def promoted_without_mark(s: Stage) -> None:
    """Retried and promoted: the old token is spent."""
    s.add(s.g, A)
    s.claim()
    s.retry(A, 1, 5)
    s.expire()
    s.game.do(ops.Promote(s.q, 100))
    s.complete(A, 1)


def swept_to_a_paused_lane(s: Stage) -> None:
    """Jobs that fall due or expire in a paused or full lane wait there."""
    s.add(s.h, A)
    s.claim()
    s.delay(s.g, B)
    s.limit(s.k, 1)
    s.add(s.k, C, D)
    s.game.do(ops.Claim(s.q, s.game.span_ms(5)))
    s.delay(s.k, E)
    s.game.do(ops.Pause(s.q, s.g))
    s.game.do(ops.Pause(s.q, s.h))
    s.expire()
    s.game.do(ops.Promote(s.q, 100))
    s.reap()
    s.game.do(ops.Resume(s.q, s.game.draw.one((s.g, s.h))))
    s.claim_somehow()


def sweep_at_its_limit(s: Stage) -> None:
    s.add(s.g, A, B)
    s.add(s.h, C)
    s.claim(3)
    s.expire()
    s.reap(limit=2)
    s.reap(limit=2)


def first_of_the_schedule(s: Stage) -> None:
    """A new first leaves a token; a later one does not."""
    s.game.do(ops.Park(s.q, 0))
    s.game.do(ops.Wake(s.q))
    s.game.do(ops.NextDue(s.q))
    s.game.do(ops.Enqueue(s.q, s.g, b"", A, s.game.span_ms(1)))
    s.game.do(ops.Park(s.q, 0))
    s.delay(s.g, B)
    s.game.do(ops.Park(s.q, 0))
    s.game.do(ops.Enqueue(s.q, s.g, b"", C, s.game.span_ms(2)))
    s.game.do(ops.Wake(s.q))


def explained(s: Stage) -> None:
    """Every reason that `explain` knows, on one small queue."""
    s.add(s.g, A)
    s.claim()
    s.add(s.g, B)
    s.add(s.h, C)
    s.delay(s.k, D)
    for job_id in (A, B, C, D, E):
        s.game.do(ops.Explain(s.q, job_id=job_id))
    s.game.do(ops.Pause(s.q, s.h))
    s.limit(s.g, 1)
    for group in (s.g, s.h, s.k):
        s.game.do(ops.Explain(s.q, group=group))


def set_twice(s: Stage) -> None:
    """A setting that is there already changes nothing; so does dropping one that is not."""
    pairs: tuple[tuple[ops.QueueOp[Any], ops.QueueOp[Any]], ...] = (
        (ops.Pause(s.q, s.g), ops.Resume(s.q, s.g)),
        (ops.Limit(s.q, s.g, 2), ops.Unlimit(s.q, s.g)),
        (ops.Weight(s.q, s.g, s.game.draw.one((1, 2))), ops.Unweight(s.q, s.g)),
        (ops.PauseQueue(s.q), ops.ResumeQueue(s.q)),
    )
    for change, undo in pairs:
        for op in (change, change, undo, undo):
            s.game.do(op)


def two_kinds_of_claim(s: Stage) -> None:
    """Lanes of different weight, served by claims of different kinds in turn."""
    s.game.do(ops.Weight(s.q, s.g, 2))
    s.add(s.g, A, B, C)
    s.add(s.h, D, E)
    s.add(s.k, F)
    for _ in range(3):
        s.claim_somehow()


def read_at_the_edges(s: Stage) -> None:
    """Reads of a queue with something in every place."""
    s.add(s.g, A, B)
    s.claim()
    s.retry(A, 1, 1)
    s.add(s.h, C)
    s.claim(2)
    s.delay(s.k, D)
    s.add(s.k, E)
    s.limit(s.h, 1)
    s.game.do(ops.Weight(s.q, s.k, 2))
    made: tuple[ops.QueueOp[Any], ...] = (
        ops.ReadStats(s.q),
        ops.Lanes(s.q, limit=2),
        ops.Ring(s.q, limit=1),
        ops.DeadJobs(s.q, limit=1),
        ops.Configuration(s.q, limit=1),
        ops.Depth(s.q, s.k),
        ops.Depths(s.q, (s.g, s.k)),
        ops.ReadJob(s.q, A),
        ops.ReadJob(s.q, F),
        ops.NextDue(s.q),
        ops.Fsck(s.q),
    )
    for op in made:
        s.game.do(op)
    for state in JobState:
        s.game.do(ops.Browse(s.q, state, limit=1))


SCENES: tuple[Scene, ...] = (
    two_kinds_of_claim,
    *(set_twice,) * 2,
    *(read_at_the_edges,) * 2,
    recount_by_a_claim,
    recount_by_a_sweep,
    several_rejoin,
    late_complete,
    late_complete_empties,
    held_at_headroom,
    *(ghost_at_the_head,) * 2,
    nothing_but_ghosts,
    comes_round,
    *(forgiven,) * 2,
    reprocess_when_full,
    limit_lowered,
    *(reassigned,) * 2,
    removed_at_the_limit,
    old_tokens,
    settled_after_expiry,
    queue_paused,
    *(reaped_behind_others,) * 2,
    ghost_falls_due,
    ghost_drained,
    promoted_without_mark,
    swept_to_a_paused_lane,
    sweep_at_its_limit,
    first_of_the_schedule,
    explained,
    id_comes_back,
)
