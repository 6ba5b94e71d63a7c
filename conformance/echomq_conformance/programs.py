"""Random programs for concurrent clients: a prefix for one, then a branch for each of several.

Contended on purpose: few groups, few ids, every client settles what others may be settling. No
answer depends on how long anything takes: leases and delays either ended before the branches start
(time is moved there, once) or outlast the run by days, and no two due times come near each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from echomq_core import Job, NewJob, encode_id, ops
from echomq_core.ops import QueueOp

__all__ = ["AGE_MS", "Move", "Program", "make_program", "settled"]

AGE_MS = 1_000_000
"""How far time is moved between the prefix and the branches."""

_LONG_MS = 10**9
_STEP_MS = 3_000

GROUPS = ("g", "h", "k")
IDS = tuple(encode_id("JOB", number) for number in range(1, 7))


@dataclass(frozen=True, slots=True)
class Move:
    """One verb call. Its queue is a label.

    `hand`: it settles the job that its client claimed last but `hand`, the prefix's claims counted
    in; the id and token in `op` serve a client that holds none. `cancel_after`: a client that can
    (a task) cancels the call after so many turns of the event loop.
    """

    op: QueueOp[Any]
    hand: int | None = None
    cancel_after: int | None = None


@dataclass(frozen=True, slots=True)
class Program:
    prefix: tuple[Move, ...]
    branches: tuple[tuple[Move, ...], ...]

    @property
    def queues(self) -> tuple[str, ...]:
        moves = [*self.prefix, *(move for branch in self.branches for move in branch)]
        return tuple(sorted({move.op.queue for move in moves}))

    def smaller(self) -> Iterator[Program]:
        """Every program with one branch or one move less."""
        several = len(self.branches) > 2
        for index, branch in enumerate(self.branches):
            rest = (*self.branches[:index], *self.branches[index + 1 :])
            if several or not branch:
                yield Program(self.prefix, rest)
            for at in range(len(branch)):
                shorter = (*branch[:at], *branch[at + 1 :])
                yield Program(
                    self.prefix, (*self.branches[:index], shorter, *self.branches[index + 1 :])
                )
        for at in range(len(self.prefix)):
            yield Program((*self.prefix[:at], *self.prefix[at + 1 :]), self.branches)


def settled(move: Move, held: Sequence[Job]) -> QueueOp[Any]:
    """The operation of a move for a client that holds these jobs, last claimed last."""
    if move.hand is None or not held:
        return move.op
    job = held[-1 - move.hand % len(held)]
    if isinstance(move.op, ops.CompleteMany | ops.ExtendMany):
        other = held[-1 - (move.hand + 1) % len(held)]
        pairs = ((job.id, job.token), (other.id, other.token))
        return replace(move.op, pairs=pairs)
    if isinstance(move.op, ops.TokenOp):
        return replace(move.op, job_id=job.id, token=job.token)
    raise ValueError(f"{move.op.verb} settles no job, so its move cannot name a hand")


def make_program(
    random: Random, profiles: frozenset[str], *, branches: int | None = None
) -> Program:
    """A program of the verbs of `profiles`; `branches`: so many instead of 2 to 4."""
    return _Maker(random, profiles).program(branches or random.choice((2, 2, 3, 4)))


_Make = Callable[["_Maker", str], Move]


class _Maker:
    def __init__(self, random: Random, profiles: frozenset[str]) -> None:
        self._random = random
        self._times = 0
        self._in_prefix = True
        self._overdue_left = 1
        # Each program has its own selection of verbs: few kinds at a time meet more often.
        self._verbs = [
            (weight, make)
            for profile, weight, make in _VERBS
            if profile in profiles and (make in _ALWAYS or random.random() < 0.5)
        ]

    def program(self, branches: int) -> Program:
        random = self._random
        queues = ("a", "b") if random.random() < 0.1 else ("a",)
        prefix = tuple(self._move(random.choice(queues)) for _ in range(random.randint(0, 6)))
        self._in_prefix = False
        return Program(
            prefix,
            tuple(
                tuple(self._move(random.choice(queues)) for _ in range(random.randint(1, 8)))
                for _ in range(branches)
            ),
        )

    def _move(self, q: str) -> Move:
        random = self._random
        if self._in_prefix and random.random() < 0.5:
            return _enqueue(self, q)
        weights = [weight for weight, _ in self._verbs]
        _, make = random.choices(self._verbs, weights)[0]
        move = make(self, q)
        if not self._in_prefix and random.random() < 0.05:
            return replace(move, cancel_after=random.randint(0, 8))
        return move

    # --- what verbs are made of ---------------------------------------------------------------

    def group(self) -> str:
        return self._random.choice(GROUPS)

    def job_id(self) -> str:
        return self._random.choice(IDS)

    def token(self) -> int:
        return self._random.choice((1, 1, 1, 2, 3))

    def small(self) -> int:
        return self._random.choice((1, 1, 2, 3))

    def chance(self) -> bool:
        return self._random.random() < 0.5

    def hand(self) -> int | None:
        return self._random.choice((0, 0, 0, 1, 2, None))

    def lease_ms(self) -> int:
        return self._span_ms() if self._in_prefix else _LONG_MS

    def delay_ms(self) -> int:
        """For a retry: once in a program, at once."""
        if self._overdue_left and not self._in_prefix and self.chance():
            self._overdue_left -= 1
            return 0
        return self._span_ms()

    def admission_delay_ms(self) -> int:
        return self._span_ms() if self._random.random() < 0.2 else 0

    def maximum(self) -> int:
        return self._random.choice((1, 2, 9))

    def _span_ms(self) -> int:
        """Used once; over before the branches start, or long after they end."""
        self._times += 1
        over = self._in_prefix and self.chance()
        return (20_000 if over else 2 * _LONG_MS) + _STEP_MS * self._times


def _enqueue(m: _Maker, q: str) -> Move:
    return Move(ops.Enqueue(q, m.group(), b"x", m.job_id(), m.admission_delay_ms()))


def _enqueue_many(m: _Maker, q: str) -> Move:
    items = tuple(NewJob(m.group(), b"x", m.job_id(), m.admission_delay_ms()) for _ in range(2))
    return Move(ops.EnqueueMany(q, items))


def _pairs(m: _Maker) -> ops.Pairs:
    return ((m.job_id(), m.token()), (m.job_id(), m.token()))


def _claim(m: _Maker, q: str) -> Move:
    return Move(ops.Claim(q, m.lease_ms()))


def _complete(m: _Maker, q: str) -> Move:
    return Move(ops.Complete(q, m.job_id(), m.token()), m.hand())


def _retry(m: _Maker, q: str) -> Move:
    op = ops.Retry(q, m.job_id(), m.token(), m.delay_ms(), m.maximum(), "broke")
    return Move(op, m.hand())


_ALWAYS: tuple[_Make, ...] = (_enqueue, _claim, _complete)

_VERBS: tuple[tuple[str, int, _Make], ...] = (
    ("core", 14, _enqueue),
    ("core", 24, _claim),
    ("core", 18, _complete),
    ("core", 8, _retry),
    ("core", 8, lambda m, q: Move(ops.Release(q, m.job_id(), m.token()), m.hand())),
    ("core", 6, lambda m, q: Move(ops.Extend(q, m.job_id(), m.token(), _LONG_MS), m.hand())),
    ("core", 6, lambda m, q: Move(ops.Promote(q, m.small()))),
    ("core", 6, lambda m, q: Move(ops.Reap(q, m.small(), 1 if m.chance() else None))),
    ("core", 2, lambda m, q: Move(ops.ReadJob(q, m.job_id()))),
    ("core", 2, lambda m, q: Move(ops.Depth(q, m.group()))),
    ("core", 2, lambda m, q: Move(ops.Snapshot(q))),
    ("bulk", 4, _enqueue_many),
    ("bulk", 6, lambda m, q: Move(ops.ClaimMany(q, m.lease_ms(), m.small()))),
    ("bulk", 5, lambda m, q: Move(ops.BClaim(q, m.lease_ms(), m.small()))),
    ("bulk", 5, lambda m, q: Move(ops.CompleteMany(q, _pairs(m)), m.hand())),
    ("bulk", 3, lambda m, q: Move(ops.ExtendMany(q, _pairs(m), _LONG_MS), m.hand())),
    ("control", 6, lambda m, q: Move(ops.WClaim(q, m.lease_ms()))),
    ("control", 4, lambda m, q: Move(ops.Weight(q, m.group(), m.small()))),
    ("control", 2, lambda m, q: Move(ops.Unweight(q, m.group()))),
    ("control", 4, lambda m, q: Move(ops.Pause(q, m.group()))),
    ("control", 5, lambda m, q: Move(ops.Resume(q, m.group()))),
    ("control", 6, lambda m, q: Move(ops.Limit(q, m.group(), m.small()))),
    ("control", 3, lambda m, q: Move(ops.Unlimit(q, m.group()))),
    ("control", 3, lambda m, q: Move(ops.PauseQueue(q))),
    ("control", 4, lambda m, q: Move(ops.ResumeQueue(q))),
    ("control", 6, lambda m, q: Move(ops.Reassign(q, m.job_id(), m.group()))),
    ("control", 5, lambda m, q: Move(ops.Remove(q, m.job_id(), m.chance()))),
    ("control", 4, lambda m, q: Move(ops.Reprocess(q, m.job_id()))),
    ("control", 1, lambda m, q: Move(ops.Explain(q, job_id=m.job_id()))),
    ("wake", 4, lambda m, q: Move(ops.Park(q, 0))),
    ("wake", 3, lambda m, q: Move(ops.Wake(q))),
    ("wake", 1, lambda m, q: Move(ops.NextDue(q))),
)
"""Profile, weight, maker. Verbs in several steps by design (`drain`, `reap_group`, `fsck`, `stats`,
`depths`, pages) promise no single moment and are left out."""
