"""Small worlds as data: few groups, few jobs, and every step that is offered in every state.

What no verb can tell apart is one state: of time only *passed* or *not passed* and the order is
kept, of `attempts` no more than the choices of `max_attempts` and tokens can see.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from echomq_core import JobState, NewJob, ops

from ..names import GROUPS, job_ids
from ..profiles import VERB_PROFILES
from .choices import LEASE_MS, QUEUE, Choice, Do, Lose, PassTime, Token

__all__ = ["WORLDS", "World", "world"]

_EVER = 1_000
"""A maximum of attempts that no job reaches."""


@dataclass(frozen=True, slots=True)
class World:
    """`choices`: the steps offered in each state. `told_attempts`: how far `attempts`, and the
    attempts that count, are told apart; 0 = not at all, then no choice may depend on them.
    `small`: its states can be enumerated."""

    name: str
    groups: tuple[str, ...]
    jobs: tuple[str, ...]
    choices: tuple[Choice, ...]
    told_attempts: int = 0
    small: bool = True

    def claimed(self, claims: frozenset[str]) -> World:
        """This world for a backend that claims no more than these profiles."""
        kept = tuple(
            choice
            for choice in self.choices
            if not isinstance(choice, Do) or VERB_PROFILES[choice.op.verb] in claims
        )
        return self if kept == self.choices else replace(self, choices=kept)

    @property
    def loses_rows(self) -> bool:
        return any(isinstance(choice, Lose) for choice in self.choices)


# --- the choices, by kind ---------------------------------------------------------------------


def _admission(groups: tuple[str, ...], jobs: tuple[str, ...]) -> Iterator[Choice]:
    for job_id in jobs:
        for group in groups:
            yield Do(ops.Enqueue(QUEUE, group, _payload(job_id), job_id))
        yield Do(ops.Enqueue(QUEUE, groups[0], _payload(job_id), job_id, delay_ms=LEASE_MS))


def _payload(job_id: str) -> bytes:
    return b"\x00 of " + job_id.encode()


def _consuming(jobs: tuple[str, ...], most: tuple[int, ...]) -> Iterator[Choice]:
    yield PassTime()
    yield Do(ops.Claim(QUEUE, LEASE_MS))
    for job_id in jobs:
        yield Do(ops.Complete(QUEUE, job_id, 1), Token.RIGHT)
        yield Do(ops.Complete(QUEUE, job_id, 1), Token.HIGH)
        for max_attempts in most:
            yield Do(ops.Retry(QUEUE, job_id, 1, LEASE_MS, max_attempts, "boom"), Token.RIGHT)
        yield Do(ops.Retry(QUEUE, job_id, 1, 0, _EVER, ""), Token.RIGHT)
        yield Do(ops.Release(QUEUE, job_id, 1), Token.RIGHT)
        yield Do(ops.Extend(QUEUE, job_id, 1, LEASE_MS), Token.RIGHT)
    yield Do(ops.Promote(QUEUE, 1))
    yield Do(ops.Promote(QUEUE, 1_000))
    yield Do(ops.Reap(QUEUE, 1))
    yield Do(ops.Reap(QUEUE, 1_000))


def _wrong_tokens(jobs: tuple[str, ...], *, low: bool = False) -> Iterator[Choice]:
    for job_id in jobs:
        for token in (Token.LOW, Token.HIGH) if low else (Token.HIGH,):
            yield Do(ops.Retry(QUEUE, job_id, 1, LEASE_MS, 1, "boom"), token)
            yield Do(ops.Release(QUEUE, job_id, 1), token)
            yield Do(ops.Extend(QUEUE, job_id, 1, LEASE_MS), token)
        if low:
            yield Do(ops.Complete(QUEUE, job_id, 1), Token.LOW)


def _dying(groups: tuple[str, ...], most: tuple[int, ...]) -> Iterator[Choice]:
    """Sweeps that send expired jobs to `dead`, and sweeps of one group."""
    for max_attempts in most:
        yield Do(ops.Reap(QUEUE, 1_000, max_attempts))
        for group in groups:
            yield Do(ops.ReapGroup(QUEUE, group, 1_000, max_attempts))
    for group in groups:
        yield Do(ops.ReapGroup(QUEUE, group, 1))


def _limits(groups: tuple[str, ...], *ceilings: int) -> Iterator[Choice]:
    for group in groups:
        for n in ceilings:
            yield Do(ops.Limit(QUEUE, group, n))
        yield Do(ops.Unlimit(QUEUE, group))


def _pauses(groups: tuple[str, ...]) -> Iterator[Choice]:
    for group in groups:
        yield Do(ops.Pause(QUEUE, group))
        yield Do(ops.Resume(QUEUE, group))
    yield Do(ops.PauseQueue(QUEUE))
    yield Do(ops.ResumeQueue(QUEUE))


def _weights(groups: tuple[str, ...]) -> Iterator[Choice]:
    for group in groups:
        yield Do(ops.Weight(QUEUE, group, 2))
        yield Do(ops.Unweight(QUEUE, group))
    yield Do(ops.WClaim(QUEUE, LEASE_MS))


def _surgery(groups: tuple[str, ...], jobs: tuple[str, ...]) -> Iterator[Choice]:
    for job_id in jobs:
        for group in groups:
            yield Do(ops.Reassign(QUEUE, job_id, group))
        yield Do(ops.Remove(QUEUE, job_id))
        yield Do(ops.Remove(QUEUE, job_id, force=True))
        yield Do(ops.Reprocess(QUEUE, job_id))
    for group in groups:
        yield Do(ops.Drain(QUEUE, group))
    yield Do(ops.Fsck(QUEUE, repair=True))


def _bulk(groups: tuple[str, ...], jobs: tuple[str, ...]) -> Iterator[Choice]:
    last = groups[-1]
    items = [NewJob(last, _payload(job_id), job_id) for job_id in reversed(jobs)]
    yield Do(ops.EnqueueMany(QUEUE, (*items, items[0])))
    yield Do(ops.ClaimMany(QUEUE, LEASE_MS, 2))
    yield Do(ops.BClaim(QUEUE, LEASE_MS, 2))
    pairs = tuple((job_id, 1) for job_id in (*jobs, jobs[0]))
    yield Do(ops.CompleteMany(QUEUE, pairs), Token.RIGHT)
    yield Do(ops.ExtendMany(QUEUE, pairs[:-1], LEASE_MS), Token.RIGHT)


def _waking() -> Iterator[Choice]:
    yield Do(ops.Park(QUEUE, 0))
    yield Do(ops.Wake(QUEUE))


def _reads(groups: tuple[str, ...], jobs: tuple[str, ...]) -> Iterator[Choice]:
    made: list[ops.QueueOp[Any]] = [
        ops.NextDue(QUEUE),
        ops.Depths(QUEUE, groups),
        ops.ReadStats(QUEUE),
        ops.Lanes(QUEUE),
        ops.Ring(QUEUE),
        ops.DeadJobs(QUEUE),
        ops.Configuration(QUEUE),
        ops.Fsck(QUEUE),
        *(ops.Browse(QUEUE, state) for state in JobState),
        *(ops.Explain(QUEUE, group=group) for group in groups),
        *(ops.Depth(QUEUE, group) for group in groups),
        *(ops.Explain(QUEUE, job_id=job_id) for job_id in jobs),
        *(ops.ReadJob(QUEUE, job_id) for job_id in jobs),
    ]
    yield from map(Do, made)


def _every_verb(groups: tuple[str, ...], jobs: tuple[str, ...]) -> Iterator[Choice]:
    """All verbs that change something, with maxima that do not look at the attempts."""
    yield from _admission(groups, jobs)
    yield from _consuming(jobs, (1,))
    yield from _dying(groups, (1,))
    yield from _limits(groups, 1)
    yield from _pauses(groups)
    yield from _weights(groups)
    yield from _surgery(groups, jobs)
    yield from _bulk(groups, jobs)
    yield from _waking()


# --- the worlds -------------------------------------------------------------------------------


def _lives() -> World:
    """One job, every verb, tokens and attempts told apart: lives, deaths and old holders."""
    groups, jobs = _names(1, 1)
    choices = (
        *_admission(groups, jobs),
        *_consuming(jobs, (1, 2)),
        *_wrong_tokens(jobs, low=True),
        *_dying(groups, (1, 2)),
        *_limits(groups, 1),
        *_surgery(groups, jobs),
        *_bulk(groups, jobs),
        *_waking(),
        *_reads(groups, jobs),
    )
    return World("lives", groups, jobs, choices, told_attempts=2)


def _one() -> World:
    """One group, two jobs, every verb and every read."""
    groups, jobs = _names(1, 2)
    choices = (*_every_verb(groups, jobs), *_wrong_tokens(jobs), *_reads(groups, jobs))
    return World("one", groups, jobs, choices)


def _two() -> World:
    """Two groups, two jobs, what producers and consumers do, and limits."""
    groups, jobs = _names(2, 2)
    choices = (
        *_admission(groups, jobs),
        *_consuming(jobs, ()),
        *_limits(groups, 1),
        Do(ops.ClaimMany(QUEUE, LEASE_MS, 2)),
        *_waking(),
    )
    return World("two", groups, jobs, choices)


def _full() -> World:
    """Two groups, two jobs, every verb."""
    groups, jobs = _names(2, 2)
    return World("full", groups, jobs, tuple(_every_verb(groups, jobs)))


def _three() -> World:
    """Three groups, three jobs, every verb: the order of the ring shows only from three lanes on."""
    groups, jobs = _names(3, 3)
    choices = (*_every_verb(groups, jobs), *_limits(groups, 2), *_reads(groups, jobs))
    return World("three", groups, jobs, tuple(dict.fromkeys(choices)), small=False)


def _ghosts() -> World:
    """One group, two jobs, and rows that vanish."""
    groups, jobs = _names(1, 2)
    choices = (
        *_admission(groups, jobs),
        *_consuming(jobs, (1,)),
        *_dying(groups, (1,)),
        *_limits(groups, 1),
        *_surgery(groups, jobs),
        Do(ops.ClaimMany(QUEUE, LEASE_MS, 2)),
        Do(ops.BClaim(QUEUE, LEASE_MS, 2)),
        *map(Lose, jobs),
    )
    return World("ghosts", groups, jobs, choices)


def _lossy() -> World:
    """Two groups, two jobs, every verb and every read, and rows that vanish."""
    groups, jobs = _names(2, 2)
    choices = (*_every_verb(groups, jobs), *_reads(groups, jobs), *map(Lose, jobs))
    return World("lossy", groups, jobs, choices, small=False)


def _names(groups: int, jobs: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return GROUPS[:groups], job_ids(jobs)


WORLDS = ("lives", "one", "two", "ghosts", "full", "three", "lossy")
"""The names of all worlds, the small ones first."""


@cache
def world(name: str) -> World:
    """A world by its name."""
    made = {w.name: w for w in (_lives(), _one(), _two(), _ghosts(), _full(), _three(), _lossy())}
    return made[name]
