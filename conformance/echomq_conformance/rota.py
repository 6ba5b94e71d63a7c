"""RING-4 on a trace: who may be served, since when, and who was served twice meanwhile.

Everything here is worked out from calls and answers alone; no snapshot and no model is asked.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Any

from echomq_core import Empty, EmptyReason, Job, ops
from echomq_core.ops import QueueOp

from .ledger import claimed
from .predicates import Violation

__all__ = ["Rota"]


@dataclass(slots=True)
class _Lane:
    """One group as the answers tell of it. `pending` is a heap: ids are served in byte order."""

    pending: list[str] = field(default_factory=list)
    in_flight: int = 0
    limit: int | None = None
    weight: int = 1
    paused: bool = False

    @property
    def headroom(self) -> float:
        return float("inf") if self.limit is None else max(0, self.limit - self.in_flight)

    @property
    def serviceable(self) -> bool:
        return bool(self.pending) and not self.paused and self.headroom > 0


class Rota:
    """The lanes of one queue that serves a single client. `saw` judges one call after another.

    A lane waits from its last turn, or from the moment when it became serviceable, whichever came
    later. `longest_wait`: the most turns that any lane has waited for its own.
    """

    def __init__(self) -> None:
        self._lanes: dict[str, _Lane] = {}
        self._groups: dict[str, str] = {}
        self._paused = False
        self._waiting: OrderedDict[str, int] = OrderedDict()
        """Serviceable lanes by the turn since which they wait; the longest waiting is first."""
        self._last_turn: dict[str, int] = {}
        self.turns = 0
        self.longest_wait = 0

    @property
    def waiting(self) -> int:
        """How many lanes may be served now."""
        return len(self._waiting)

    def saw(self, op: QueueOp[Any], answer: Any) -> list[Violation]:
        """Take in one call and its answer; what it breaks."""
        match op:
            case ops.Claim() | ops.ClaimMany() | ops.WClaim() | ops.BClaim():
                return list(self._claim(op, answer))
            case ops.Enqueue():
                self._admit(op.group, answer.id)
            case ops.EnqueueMany():
                for item, one in zip(op.items, answer, strict=True):
                    self._admit(item.group, one.id)
            case ops.Complete() | ops.Retry() | ops.Release():
                self._settle(op, str(answer))
            case ops.PauseQueue() | ops.ResumeQueue():
                self._paused = isinstance(op, ops.PauseQueue)
            case ops.GroupOp():
                self._set(op)
            case _:
                raise ValueError(f"a rota knows nothing of {op.verb}")
        return []

    # --- what makes a lane serviceable --------------------------------------------------------

    def _lane(self, group: str) -> _Lane:
        return self._lanes.setdefault(group, _Lane())

    def _admit(self, group: str, job_id: str) -> None:
        heappush(self._lane(group).pending, job_id)
        self._groups[job_id] = group
        self._follow(group)

    def _settle(self, op: ops.TokenOp[Any], answer: str) -> None:
        if answer in ("gone", "stale"):
            return
        group = self._groups[op.job_id]
        self._lane(group).in_flight -= 1
        if isinstance(op, ops.Release):
            heappush(self._lane(group).pending, op.job_id)
        self._follow(group)

    def _set(self, op: ops.GroupOp[Any]) -> None:
        lane = self._lane(op.group)
        match op:
            case ops.Limit(n=n):
                lane.limit = n
            case ops.Unlimit():
                lane.limit = None
            case ops.Weight(n=n):
                lane.weight = n
            case ops.Unweight():
                lane.weight = 1
            case ops.Pause():
                lane.paused = True
            case ops.Resume():
                lane.paused = False
            case _:
                raise ValueError(f"a rota knows nothing of {op.verb}")
        self._follow(op.group)

    def _follow(self, group: str) -> None:
        """A lane that became serviceable waits from now; one that no longer is waits no more."""
        if not self._lane(group).serviceable:
            self._waiting.pop(group, None)
        elif group not in self._waiting:
            self._waiting[group] = self.turns

    # --- turns --------------------------------------------------------------------------------

    def _claim(self, op: QueueOp[Any], answer: Any) -> Iterator[Violation]:
        if isinstance(answer, Empty):
            if self._waiting and not self._paused:
                group = next(iter(self._waiting))
                yield Violation(
                    "RING-1",
                    f"{op.verb} with {len(self._waiting)} lanes serviceable, {group!r} among them",
                    "a job",
                    f"Empty({answer.reason})",
                )
            elif answer.reason == EmptyReason.GHOST:
                yield Violation("ANSWER-empty", op.verb, "no ghost: none was made", "ghost")
            return
        jobs = claimed(answer)
        if self._paused:
            yield Violation("VERB-queue-pause", op.verb, "queue_paused", f"{len(jobs)} jobs")
        if isinstance(op, ops.Claim | ops.ClaimMany):
            for job in jobs:
                yield from self._turn(op, [job], 1)
            if isinstance(op, ops.ClaimMany) and len(jobs) < op.n and self._waiting:
                yield Violation(
                    "VERB-claim_many", op.verb, f"{op.n} jobs, or no lane left", f"{len(jobs)}"
                )
        else:
            share = op.n if isinstance(op, ops.BClaim) else self._weight(jobs)
            yield from self._turn(op, jobs, share)

    def _weight(self, jobs: Sequence[Job]) -> int:
        return self._lane(jobs[0].group).weight

    def _turn(self, op: QueueOp[Any], jobs: Sequence[Job], share: int) -> Iterator[Violation]:
        group = jobs[0].group
        lane = self._lane(group)
        self.turns += 1
        where = f"turn {self.turns} ({op.verb})"
        if {job.group for job in jobs} != {group}:
            yield Violation("VERB-turn", where, f"jobs of one lane, {group!r}", f"{jobs}")
        yield from self._twice_meanwhile(group, where)
        allowed = int(min(share, lane.headroom, len(lane.pending)))
        if len(jobs) > lane.headroom:
            yield Violation(
                "BOOK-2", f"{where} of {group!r}", f"at most {lane.headroom:.0f}", f"{len(jobs)}"
            )
        elif not lane.serviceable or len(jobs) != allowed:
            yield Violation("VERB-turn", f"{where} of {group!r}", f"{allowed} jobs", f"{len(jobs)}")
        for job in jobs:
            first = heappop(lane.pending) if lane.pending else None
            if first != job.id:
                yield Violation("VERB-turn", f"{where} of {group!r}", f"{first} next", job.id)
        lane.in_flight += len(jobs)
        self._last_turn[group] = self.turns
        since = self._waiting.pop(group, self.turns)
        self.longest_wait = max(self.longest_wait, self.turns - since)
        self._follow(group)

    def _twice_meanwhile(self, group: str, where: str) -> Iterator[Violation]:
        """The lane that waits longest shows every breach: it waits for all who were served since."""
        for other, since in self._waiting.items():
            if other == group:
                continue
            before = self._last_turn.get(group, 0)
            if before > since:
                yield Violation(
                    "RING-4",
                    where,
                    f"lane {other!r}, serviceable without a turn since turn {since}, comes before "
                    f"a second turn of {group!r}",
                    f"{group!r} had turn {before} and now turn {self.turns}",
                )
            return
