"""What a check that runs by itself found: breaches, what it left open, numbers, and exhibits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from .predicates import Violation

__all__ = ["Budget", "Exhibit", "Findings", "Outcome"]

Budget = Literal["quick", "standard", "long"]

Outcome = Literal["passed", "failed", "inconclusive", "not exercised"]


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A file that shows a breach: a history as JSON, a time line as text or SVG."""

    name: str
    content: str


@dataclass(frozen=True, slots=True)
class Findings:
    """The outcome of one check on one target.

    `clauses`: what the check stands for. `open_questions`: parts that could not be decided or were
    not reached, in words; they keep the outcome from being a pass.
    """

    check: str
    clauses: tuple[str, ...]
    violations: tuple[Violation, ...] = ()
    open_questions: tuple[str, ...] = ()
    inconclusive: bool = False
    statistics: Mapping[str, float] = field(default_factory=dict)
    exhibits: tuple[Exhibit, ...] = ()

    @property
    def outcome(self) -> Outcome:
        if self.violations:
            return "failed"
        if self.inconclusive:
            return "inconclusive"
        return "not exercised" if self.open_questions else "passed"

    def __str__(self) -> str:
        numbers = ", ".join(f"{name} {value:,.0f}" for name, value in self.statistics.items())
        lines = [f"{self.check} [{', '.join(self.clauses)}]: {self.outcome} ({numbers})"]
        lines += [str(violation) for violation in self.violations]
        lines += [f"open: {question}" for question in self.open_questions]
        lines += [exhibit.content for exhibit in self.exhibits if exhibit.name.endswith(".txt")]
        return "\n".join(lines)
