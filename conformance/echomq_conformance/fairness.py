"""RING-4 on real traces, for every claim: floods of one lane, and settings that change under way."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import count
from random import Random
from typing import Any

from echomq_core import Job, NewJob, encode_id, ops
from echomq_core.ops import QueueOp

from .findings import Budget, Findings
from .harness import Harness
from .ledger import claimed
from .predicates import Violation
from .rota import Rota
from .target import Target

__all__ = ["CLAUSES", "run_fairness"]

CLAUSES = ("RING-4", "BOOK-2", "VERB-turn")

SIZES: dict[Budget, tuple[int, int, int]] = {
    "quick": (2_000, 200, 600),
    "standard": (100_000, 1_000, 4_000),
    "long": (100_000, 1_000, 50_000),
}
"""Jobs of the one large lane, lanes of one job, steps of the churn."""

_LEASE_MS = 10**9
_CHUNK = 1_000

_Claim = Callable[[str], QueueOp[Any]]

_CLAIMS: dict[str, tuple[str, _Claim]] = {
    "claim": ("core", lambda q: ops.Claim(q, _LEASE_MS)),
    "claim_many": ("bulk", lambda q: ops.ClaimMany(q, _LEASE_MS, 7)),
    "bclaim": ("bulk", lambda q: ops.BClaim(q, _LEASE_MS, 5)),
    "wclaim": ("control", lambda q: ops.WClaim(q, _LEASE_MS)),
}
"""Verb → the profile that has it, and its call."""


def run_fairness(target: Target, *, seed: int, budget: Budget = "quick") -> Findings:
    """Each claim of the target's profiles against each mix. Deterministic: one client, one seed."""
    large, lanes, steps = SIZES[budget]
    violations: list[Violation] = []
    traces: list[_Trace] = []
    started = time.monotonic()
    with Harness(target, asynchronous=target.open is None) as harness:
        for verb, (profile, claim) in _CLAIMS.items():
            if profile not in target.claims:
                continue
            try:
                traces.append(flood := _Trace(harness, claim))
                flood.flood(large, lanes)
                traces.append(churn := _Trace(harness, claim))
                churn.churn(Random(f"{seed}-{verb}"), steps)
            except _Unfair as unfair:
                violations.append(unfair.violation)
    turns = sum(trace.rota.turns for trace in traces)
    return Findings(
        "fairness",
        CLAUSES,
        tuple(violations),
        () if turns else ("RING-4: no turn was taken",),
        statistics={
            "calls": sum(trace.calls for trace in traces),
            "turns": turns,
            "longest wait in turns": max(trace.rota.longest_wait for trace in traces),
            "seconds": time.monotonic() - started,
        },
    )


class _Unfair(Exception):
    """The first breach ends a trace."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(str(violation))
        self.violation = violation


class _Trace:
    """One fresh queue, one client that claims with one verb mostly, and the rota that follows it."""

    def __init__(self, harness: Harness, claim: _Claim) -> None:
        self.rota = Rota()
        self.calls = 0
        self._harness = harness
        self._profiles = harness.target.claims
        self._claim = claim
        self._queue = harness.fresh_queue("fair")
        self._held: list[Job] = []
        self._numbers = count(1)

    # --- mixes --------------------------------------------------------------------------------

    def flood(self, large: int, lanes: int) -> None:
        """One lane of very many jobs, weighted where weights are, and many lanes of one, which come
        back once each; now and then a lane that is new."""
        if "control" in self._profiles:
            self._do(ops.Weight(self._queue, "large", 20))
        self._admit(["large"] * large)
        for _ in range(3):
            self._do(self._claim(self._queue))
        self._admit([f"small-{number}" for number in range(lanes)])
        again = {f"small-{number}" for number in range(lanes)}
        late = [f"late-{number}" for number in range(10)]
        while self.rota.waiting > 1:
            served = {job.group for job in claimed(self._do(self._claim(self._queue)))}
            back = sorted(again & served)
            again -= served
            if late and self.calls % 25 == 0:
                back.append(late.pop())
            if back:
                self._admit(back)
        if "control" in self._profiles:
            self._harness.perform(ops.Drain(self._queue, "large"))

    def churn(self, random: Random, steps: int) -> None:
        """A dozen lanes that fill and empty, under limits, pauses and weights that change."""
        groups = [f"lane-{number}" for number in range(12)]
        claims = [make for profile, make in _CLAIMS.values() if profile in self._profiles]
        for _ in range(steps):
            group, q = random.choice(groups), self._queue
            match random.choices(("claim", "admit", "flood", "settle", "set"), (40, 18, 2, 25, 15)):
                case ["claim"]:
                    claim = self._claim if random.random() < 0.7 else random.choice(claims)
                    self._do(claim(q))
                case ["admit"]:
                    self._admit([group] * random.randint(1, 4))
                case ["flood"]:
                    self._admit([group] * 40)
                case ["settle"] if self._held:
                    self._settle(random)
                case ["set"] if "control" in self._profiles:
                    self._do(_setting(random, q, group))

    # --- calls --------------------------------------------------------------------------------

    def _do(self, op: QueueOp[Any]) -> Any:
        """Raises `_Unfair` at the first breach."""
        answer = self._harness.perform(op)
        self.calls += 1
        for violation in self.rota.saw(op, answer):
            raise _Unfair(violation)
        self._held += claimed(answer)
        return answer

    def _admit(self, groups: Sequence[str]) -> None:
        """One job for each, in this order."""
        items = [
            NewJob(group, b"", encode_id("JOB", number))
            for group, number in zip(groups, self._numbers, strict=False)
        ]
        if "bulk" in self._profiles and len(items) > 1:
            for start in range(0, len(items), _CHUNK):
                self._do(ops.EnqueueMany(self._queue, tuple(items[start : start + _CHUNK])))
            return
        for item in items:
            self._do(ops.Enqueue(self._queue, item.group, item.payload, item.job_id))

    def _settle(self, random: Random) -> None:
        job = self._held.pop(random.randrange(len(self._held)))
        settle: QueueOp[Any] = random.choices(
            (
                ops.Complete(self._queue, job.id, job.token),
                ops.Release(self._queue, job.id, job.token),
                ops.Retry(self._queue, job.id, job.token, _LEASE_MS, 1_000, "later"),
            ),
            (70, 20, 10),
        )[0]
        self._do(settle)


def _setting(random: Random, q: str, group: str) -> QueueOp[Any]:
    """Returns outweigh parking, so that lanes stay in play."""
    options: tuple[QueueOp[Any], ...] = (
        ops.Limit(q, group, random.randint(1, 6)),
        ops.Unlimit(q, group),
        ops.Pause(q, group),
        ops.Resume(q, group),
        ops.Weight(q, group, random.randint(1, 5)),
        ops.Unweight(q, group),
        ops.PauseQueue(q),
        ops.ResumeQueue(q),
    )
    return random.choices(options, (5, 4, 3, 6, 4, 2, 1, 5))[0]
