"""Fairness, concurrency and death as evidence of a report: checks that open the target themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

from echomq_core.clauses import CLAUSES

from . import concurrent, death, fairness
from .breaches import breach_in, breach_of
from .findings import Budget, Findings
from .report import Evidence
from .showing import blamed_by
from .target import Target

__all__ = ["crowd_clauses", "crowd_evidence"]


class _Run(Protocol):
    def __call__(self, target: Target, *, seed: int, budget: Budget) -> Findings: ...


@dataclass(frozen=True, slots=True)
class _Crowd:
    """`profile`: which targets it is for."""

    name: str
    profile: str
    clauses: tuple[str, ...]
    run: _Run


_CROWDS = (
    _Crowd("fairness", "core", fairness.CLAUSES, fairness.run_fairness),
    _Crowd("concurrent", "concurrent", concurrent.CLAUSES, concurrent.run_concurrent),
    _Crowd("death", "durable", death.CLAUSES, death.run_death),
)


def crowd_clauses() -> dict[str, tuple[str, ...]]:
    """Each of these checks with its clauses."""
    return {crowd.name: crowd.clauses for crowd in _CROWDS}


def crowd_evidence(
    target: Target,
    seed: int,
    budget: Budget,
    *,
    progress: Callable[[str], None] = lambda _: None,
    only: str | None = None,
) -> Iterator[Evidence]:
    """Run what the target's claims ask for (or `only` one check of them), while it is not open.
    Nothing that the target raises comes out of here."""
    for crowd in _CROWDS:
        if crowd.profile not in target.claims or only not in (None, crowd.name):
            continue
        try:
            findings = crowd.run(target, seed=seed, budget=budget)
        except Exception as error:  # noqa: BLE001 - a fault of the target is a finding
            blamed = blamed_by(error, crowd.clauses[0])
            message = f"{blamed}: {crowd.name} could not go on: {error!r}"
            breach = breach_in(message, blamed)
            yield Evidence("crowd", crowd.name, (blamed,), False, message, breach=breach)
            rest = tuple(clause for clause in _claimed(crowd.clauses, target) if clause != blamed)
            yield Evidence("crowd", crowd.name, rest, None, "could not go on")
            continue
        progress(str(findings).splitlines()[0])
        yield from _evidence(findings, target)


def _claimed(clauses: tuple[str, ...], target: Target) -> list[str]:
    return [clause for clause in clauses if CLAUSES[clause].profile in target.claims]


def _evidence(findings: Findings, target: Target) -> Iterator[Evidence]:
    """A breach stands against its own clause; what it kept from being shown is left open."""
    name = findings.check
    shown = _claimed(findings.clauses, target)
    pictures = "\n".join(
        exhibit.content for exhibit in findings.exhibits if exhibit.name.endswith(".txt")
    )
    exhibits = {exhibit.name: exhibit.content for exhibit in findings.exhibits}
    for violation in findings.violations:
        yield Evidence(
            "crowd",
            name,
            (violation.clause,),
            False,
            str(violation),
            pictures,
            breach=breach_of(violation),
            exhibits=exhibits,
        )
    broken = {violation.clause for violation in findings.violations}
    rest = tuple(clause for clause in shown if clause not in broken)
    if findings.outcome == "passed":
        yield Evidence("crowd", name, rest, True, str(findings).splitlines()[0])
    elif rest:
        why = "; ".join(findings.open_questions) or "ended at a fault"
        yield Evidence("crowd", name, rest, None, why)
