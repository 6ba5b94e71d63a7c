"""Directed scenes with rows that vanished: ghosts in every place, and the recounts they cause."""

from __future__ import annotations

from echomq_core import ops

from .stage import A, B, C, Stage

__all__ = [
    "ghost_at_the_head",
    "ghost_drained",
    "ghost_falls_due",
    "id_comes_back",
    "nothing_but_ghosts",
    "recount_by_a_claim",
    "recount_by_a_sweep",
]


def recount_by_a_claim(s: Stage) -> None:
    """A lost active job comes back elsewhere; claiming it frees its old lane, which was full."""
    s.limit(s.g, 1)
    s.add(s.g, A, B)
    s.claim()
    s.add(s.h, C)
    s.lose(A)
    s.add(s.h, A)
    s.claim_somehow()


def recount_by_a_sweep(s: Stage) -> None:
    """The row of an expired job is gone; the sweep drops it, returns another, frees the lane."""
    s.limit(s.g, 1)
    s.add(s.g, A, B)
    s.claim()
    s.add(s.h, C)
    s.claim()
    s.lose(A)
    s.expire()
    s.reap(s.game.draw.one((None, 1)))


def ghost_at_the_head(s: Stage) -> None:
    """A lane's oldest row is gone; perhaps the whole lane is ghosts, and another waits behind."""
    s.add(s.g, A, B)
    s.lose(A)
    if s.game.draw.chance(60):
        s.lose(B)
    if s.game.draw.chance(40):
        s.add(s.h, C)
    s.claim_somehow()
    s.claim_somehow()


def nothing_but_ghosts(s: Stage) -> None:
    """Each kind of claim meets a lane without one real job."""
    for claim in s.claims():
        s.add(s.g, A)
        s.lose(A)
        s.game.do(claim)


def ghost_falls_due(s: Stage) -> None:
    s.delay(s.g, A)
    s.delay(s.h, B)
    s.lose(A)
    s.game.do(ops.NextDue(s.q))
    s.expire()
    s.game.do(ops.NextDue(s.q))
    s.game.do(ops.Promote(s.q, s.game.draw.one((1, 2, 100))))


def ghost_drained(s: Stage) -> None:
    s.add(s.g, A, B)
    s.lose(s.game.draw.one((A, B)))
    s.game.do(ops.Drain(s.q, s.g))


def id_comes_back(s: Stage) -> None:
    """Lost from a lane, the schedule or active; admitted again; both entries meet their verbs."""
    where = s.game.draw.one(("lane", "schedule", "active"))
    if where == "schedule":
        s.delay(s.g, A)
    else:
        s.add(s.g, A)
    if where == "active":
        s.claim()
    s.lose(A)
    s.add(s.game.draw.one((s.g, s.h)), A)
    s.claim_somehow()
    s.claim_somehow()
    s.expire()
    s.game.do(ops.Promote(s.q, 100))
    s.reap()
