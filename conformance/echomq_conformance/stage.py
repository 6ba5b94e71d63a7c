"""A queue brought to rest for a directed scene, and its verbs in short words."""

from __future__ import annotations

from typing import Any

from echomq_core import NewJob, ops

from .game import IDS, Game
from .names import GROUPS

__all__ = ["A", "B", "C", "D", "E", "F", "Stage"]

A, B, C, D, E, F = sorted(IDS)[:6]


class Stage:
    """A queue at rest, three groups, and verbs in short words."""

    def __init__(self, game: Game, q: str) -> None:
        self.game = game
        self.q = q
        turn = game.draw.one((0, 1, 2, 3))
        self.g, self.h, self.k = (GROUPS + GROUPS)[turn : turn + 3]
        self._settle()

    def _settle(self) -> None:
        game, q, was = self.game, self.q, self.game.state(self.q)
        if was.paused:
            game.do(ops.ResumeQueue(q))
        for group in sorted(was.paused_groups):
            game.do(ops.Resume(q, group))
        for group in sorted(was.limits):
            game.do(ops.Unlimit(q, group))
        for group in sorted(was.lanes):
            game.do(ops.Drain(q, group))
        for job_id in sorted({*was.active, *was.schedule, *was.dead}):
            if job_id in was.jobs:
                game.do(ops.Remove(q, job_id, force=True))
        if game.state(q).active or game.state(q).schedule or game.state(q).dead:
            game.do(ops.Fsck(q, repair=True))

    def add(self, group: str, *ids: str) -> None:
        items = tuple(NewJob(group, job_id.encode(), job_id) for job_id in ids)
        many = ops.EnqueueMany(self.q, items)
        if len(ids) > 1 and self.game.lockstep.claims(many):
            self.game.do(many)
            return
        for job_id in ids:
            self.game.do(ops.Enqueue(self.q, group, b"", job_id))

    def delay(self, group: str, job_id: str) -> None:
        self.game.do(ops.Enqueue(self.q, group, b"later", job_id, self.game.span_ms()))

    def claim(self, n: int = 1) -> Any:
        """Claim up to n jobs, one turn each."""
        many = ops.ClaimMany(self.q, self.game.span_ms(), n)
        if n > 1 and self.game.lockstep.claims(many):
            return self.game.do(many)
        answers = [self.game.do(ops.Claim(self.q, self.game.span_ms())) for _ in range(n)]
        return answers[-1]

    def claims(self) -> tuple[ops.QueueOp[Any], ...]:
        """One of each kind."""
        lease_ms = self.game.span_ms()
        return (
            ops.Claim(self.q, lease_ms),
            ops.ClaimMany(self.q, lease_ms, self.game.draw.one((1, 2, 4))),
            ops.WClaim(self.q, lease_ms),
            ops.BClaim(self.q, lease_ms, self.game.draw.one((1, 2, 4))),
        )

    def claim_somehow(self) -> Any:
        return self.game.do(self.game.draw.one(self.claims()))

    def limit(self, group: str, n: int) -> None:
        self.game.do(ops.Limit(self.q, group, n))

    def complete(self, job_id: str, token: int) -> Any:
        return self.game.do(ops.Complete(self.q, job_id, token))

    def retry(self, job_id: str, token: int, most: int) -> Any:
        op = ops.Retry(self.q, job_id, token, self.game.span_ms(), most, "no")
        return self.game.do(op)

    def reap(self, most: int | None = None, limit: int = 100) -> Any:
        return self.game.do(ops.Reap(self.q, limit, most))

    def lose(self, job_id: str) -> None:
        self.game.lockstep.lose_row(self.q, job_id)

    def expire(self) -> None:
        self.game.pass_time(2)
