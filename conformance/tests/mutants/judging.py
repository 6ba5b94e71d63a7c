"""How the kit judges a mutant: what is fast first, and nothing more once its clause was named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from echomq_conformance.checks import CHECKS, Bench
from echomq_conformance.concurrent import run_programs
from echomq_conformance.exhaustive import run_exhaustive
from echomq_conformance.harness import Harness
from echomq_conformance.machine import run_machine
from echomq_conformance.playing import play_scenario
from echomq_conformance.report import Evidence
from echomq_conformance.run import BUDGETS, DEFAULT_SEED, Budget
from echomq_conformance.scenario import load_scenarios
from echomq_conformance.showing import shown
from echomq_conformance.target import Target

from .breeding import bred
from .mutant import Mutant

__all__ = [
    "Finding",
    "Sentence",
    "by_name",
    "by_search",
    "examples",
    "examples_of",
    "judge",
    "sequential",
]

WORLDS = (("lives", 3.0), ("three", 2.0), ("lossy", 2.0))
"""A sample of the exhaustive tier, in seconds."""

CONCURRENT_PROGRAMS = 25


@dataclass(frozen=True, slots=True)
class Finding:
    """Something of the kit that failed on a mutant: its tier, its name, the clauses it blames."""

    tier: str
    name: str
    clauses: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """The outcome for one mutant: `killed` if it was caught as its row says, by `caught_by`."""

    mutant: str
    killed: bool
    caught_by: Finding | None
    others: tuple[Finding, ...]
    seconds: float


def judge(mutant: Mutant) -> Sentence:
    """Breed a mutant and look for what catches it."""
    started = time.monotonic()
    with bred(mutant) as target:
        if mutant.killed_by == "concurrent":
            noticed = tuple(sequential(target))
            caught = _together(target)
            killed = not noticed and caught is not None and mutant.clause in caught.clauses
            return Sentence(mutant.id, killed, caught, noticed, time.monotonic() - started)
        others: list[Finding] = []
        for finding in sequential(target, mutant.clause):
            if mutant.clause in finding.clauses and finding.tier == "named":
                took = time.monotonic() - started
                return Sentence(mutant.id, True, finding, tuple(others), took)
            others.append(finding)
        took = time.monotonic() - started
        return Sentence(mutant.id, False, None, tuple(others), took)


def sequential(
    target: Target,
    clause: str = "",
    *,
    deep: Budget = BUDGETS["quick"],
    worlds: tuple[tuple[str, float], ...] = WORLDS,
) -> Iterator[Finding]:
    """What one client at a time finds: named scenarios and checks (those of `clause` first), then
    a sample of the exhaustive tier, then the machine. The deep tiers end at the first fault."""
    yield from by_name(target, clause)
    yield from by_search(target, deep, worlds)


def by_name(target: Target, clause: str = "") -> Iterator[Finding]:
    """What scenarios and checks find."""
    with Harness(target, asynchronous=target.open is None) as harness:
        for evidence in examples(harness, clause):
            if evidence.passed is False:
                yield Finding("named", evidence.name, evidence.clauses, evidence.message)


def examples_of(target: Target) -> list[Evidence]:
    """Evidence of every scenario and check on a target."""
    with Harness(target, asynchronous=target.open is None) as harness:
        return list(examples(harness))


def by_search(
    target: Target, budget: Budget, worlds: tuple[tuple[str, float], ...]
) -> Iterator[Finding]:
    """What a sample of the exhaustive tier finds, and then the machine; one fault at most."""
    with Harness(target, asynchronous=target.open is None) as harness:
        yield from _searched(harness, budget, worlds)


def _searched(
    harness: Harness, budget: Budget, worlds: tuple[tuple[str, float], ...]
) -> Iterator[Finding]:
    for world, seconds in worlds:
        run = run_exhaustive(harness, world_name=world, seed=DEFAULT_SEED, seconds=seconds)
        if run.failure is not None:
            violation = run.failure.violation
            yield Finding("exhaustive", f"world {world}", (violation.clause,), str(violation))
            return
    played = run_machine(
        harness,
        examples=budget.examples,
        steps=budget.steps,
        seed_number=DEFAULT_SEED,
        tours=budget.tours,
        shrink_s=0.0,
    )
    if played.failure is not None:
        violation = played.failure.violation
        yield Finding("machine", "machine", (violation.clause,), str(violation))


def examples(harness: Harness, clause: str = "") -> Iterator[Evidence]:
    """Evidence of every scenario and check, those of `clause` first."""
    todo: list[tuple[str, str, tuple[str, ...], Callable[[], None]]] = []
    claims = harness.target.claims
    for scenario in load_scenarios():
        if scenario.profiles <= claims:
            play = lambda scenario=scenario: play_scenario(harness, scenario)  # noqa: E731
            todo.append(("scenario", scenario.name, scenario.clauses, play))
    for check in CHECKS:
        if check.profiles <= claims:
            run = lambda check=check: check.run(Bench(harness))  # noqa: E731
            todo.append(("check", check.name, check.clauses, run))
    last = {check.name for check in CHECKS if check.last}
    todo.sort(key=lambda each: (each[1] in last and clause not in each[2], clause not in each[2]))
    for each in todo:
        yield shown(*each)


def _together(target: Target) -> Finding | None:
    found = run_programs(target, seed=DEFAULT_SEED, programs=CONCURRENT_PROGRAMS)
    clauses = tuple(violation.clause for violation in found.violations)
    if not clauses:
        return None
    return Finding("concurrent", "concurrent", clauses, str(found.violations[0]))
