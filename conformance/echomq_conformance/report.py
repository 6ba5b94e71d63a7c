"""What a run found: a verdict for every clause of the spec, with the evidence, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from echomq_core.clauses import CLAUSES, SPEC_VERSION

from .checks.elsewhere import ELSEWHERE
from .profiles import verbs_of_clause

__all__ = [
    "NOT_TO_SHOW",
    "Breach",
    "ClauseReport",
    "Evidence",
    "Features",
    "MachineReport",
    "Report",
    "Skipped",
    "Verdict",
    "judge",
]


class Verdict(StrEnum):
    """What is known of a clause on a target. Only `passed` is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    NOT_CLAIMED = "not claimed"
    NOT_EXERCISED = "not exercised"
    ELSEWHERE = "elsewhere"
    PROVISIONAL = "provisional"
    PROSE = "prose"


NOT_TO_SHOW = frozenset(
    {
        Verdict.UNSUPPORTED,
        Verdict.NOT_CLAIMED,
        Verdict.ELSEWHERE,
        Verdict.PROVISIONAL,
        Verdict.PROSE,
    }
)
"""Verdicts that neither pass nor count against the target: it is not for this run to show them."""


@dataclass(frozen=True, slots=True)
class Breach:
    """The first difference: its clause, where it was seen, what was expected and what was got."""

    clause: str
    where: str
    expected: str = ""
    got: str = ""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One check, scenario or machine run: the clauses that it speaks for and how it went.

    `passed`: `None` when it did not run to its end, with the reason in `message`. `face`: `sync` or
    `async`, empty for what opens the target itself. A failure has a `breach`; `program` shows it for
    people (Python, or a time line), `script` is the same for a replay, and `exhibits` are files that
    prove it: name → text.
    """

    kind: str
    name: str
    clauses: tuple[str, ...]
    passed: bool | None
    message: str = ""
    program: str = ""
    face: str = ""
    breach: Breach | None = None
    script: tuple[Mapping[str, Any], ...] = ()
    exhibits: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """Kind and name, without saying anything twice."""
        return self.name if self.name.startswith(self.kind) else f"{self.kind} {self.name}"


@dataclass(frozen=True, slots=True)
class ClauseReport:
    """The verdict on one clause. `evidence`: how many pieces of evidence speak for it."""

    clause: str
    title: str
    verdict: Verdict
    evidence: int
    notes: tuple[str, ...] = ()
    profile: str = ""


@dataclass(frozen=True, slots=True)
class MachineReport:
    """What the sequential machine did. `counts`: verbs, answers and rare branches → occurrences."""

    face: str
    examples: int
    steps: int
    counts: dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class Skipped:
    """A scenario or check that was not run, and why."""

    kind: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Features:
    """Verbs by what the target makes of them. `supported`: of a claimed profile. The others are not
    claimed: `unsupported` ones refuse with the typed `Unsupported` or are not there at all,
    `undeclared` ones work, and `unclear` ones fail in another way."""

    supported: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    undeclared: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


@dataclass(slots=True)
class Report:
    """The outcome of one run on one target.

    `address`: what the command line finds the target by. `finished`: when, in UTC, as ISO 8601.
    """

    target: str
    version: str
    server: str
    claims: tuple[str, ...]
    budget: str
    seed: int
    kit: str
    python: str
    seconds: float = 0.0
    evidence: list[Evidence] = field(default_factory=list)
    machines: list[MachineReport] = field(default_factory=list)
    clauses: list[ClauseReport] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)
    features: Features = field(default_factory=Features)
    spec: str = SPEC_VERSION
    client: str = ""
    address: str = ""
    finished: str = ""
    profiles: tuple[str, ...] = ()
    """The profiles that the run was narrowed to; empty: all that are claimed."""

    @property
    def replay(self) -> str:
        """The command that repeats this run."""
        narrowed = "".join(f" --profile {name}" for name in self.profiles)
        return (
            f"python -m echomq_conformance run --target {self.address or self.target}"
            f"{narrowed} --budget {self.budget} --seed {self.seed}"
        )

    @property
    def failures(self) -> list[Evidence]:
        return [item for item in self.evidence if item.passed is False]

    def count(self, verdict: Verdict) -> int:
        return sum(clause.verdict == verdict for clause in self.clauses)

    @property
    def exit_code(self) -> int:
        """0: every claimed clause passed; 1: something failed; 2: something was not shown."""
        if self.failures or self.count(Verdict.FAILED):
            return 1
        return 2 if self.count(Verdict.PARTIAL) or self.count(Verdict.NOT_EXERCISED) else 0


def judge(report: Report, unreached: dict[str, list[str]]) -> list[ClauseReport]:
    """The verdict on every clause. `unreached`: clause → rare branches that no step reached."""
    return [_judge_one(report, clause, unreached.get(clause, [])) for clause in CLAUSES]


def _judge_one(report: Report, clause_id: str, unreached: list[str]) -> ClauseReport:
    clause = CLAUSES[clause_id]
    about = [item for item in report.evidence if clause_id in item.clauses]
    passed = [item for item in about if item.passed]
    notes: tuple[str, ...] = ()
    if clause.status == "planned":
        verdict = Verdict.PROVISIONAL
    elif clause.profile == "prose":
        verdict = Verdict.PROSE
    elif failures := [item for item in about if item.passed is False]:
        verdict = Verdict.FAILED
        notes = tuple(item.message for item in failures)
    elif clause.profile not in report.claims:
        verbs = verbs_of_clause(clause_id)
        refused = bool(verbs) and set(verbs) <= set(report.features.unsupported)
        verdict = Verdict.UNSUPPORTED if refused else Verdict.NOT_CLAIMED
    elif stopped := [item for item in about if item.passed is None]:
        verdict = Verdict.PARTIAL
        notes = tuple(f"{item.name}: {item.message}" for item in stopped)
    elif unreached:
        verdict = Verdict.NOT_EXERCISED
        notes = tuple(f"never reached: {name}" for name in unreached)
    elif passed:
        verdict = Verdict.PASSED
    elif clause_id in ELSEWHERE:
        verdict = Verdict.ELSEWHERE
        notes = ELSEWHERE[clause_id]
    else:
        verdict = Verdict.NOT_EXERCISED
        notes = ("no check of this run shows it",)
    return ClauseReport(clause_id, clause.title, verdict, len(passed), notes, clause.profile)
