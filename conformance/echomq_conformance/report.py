"""What a run found: a verdict for every clause of the spec, with the evidence, as plain data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from echomq_core.clauses import CLAUSES

from .checks.elsewhere import ELSEWHERE

__all__ = ["SCHEMA", "ClauseReport", "Evidence", "MachineReport", "Report", "Verdict", "judge"]

SCHEMA = "echomq-conformance-report/1"


class Verdict(StrEnum):
    """What is known of a clause on a target. Only `passed` is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    PARTIAL = "partial"
    NOT_CLAIMED = "not claimed"
    NOT_EXERCISED = "not exercised"
    ELSEWHERE = "elsewhere"
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One check, scenario or machine run: the clauses that it speaks for and how it went.

    `passed`: `None` when it did not run to its end, with the reason in `message`.
    """

    kind: str
    name: str
    clauses: tuple[str, ...]
    passed: bool | None
    message: str = ""
    program: str = ""


@dataclass(frozen=True, slots=True)
class ClauseReport:
    """The verdict on one clause."""

    clause: str
    title: str
    verdict: Verdict
    evidence: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineReport:
    """What the sequential machine did. `counts`: verbs, answers and rare branches → occurrences."""

    face: str
    examples: int
    steps: int
    counts: dict[str, dict[str, int]]


@dataclass(slots=True)
class Report:
    """The outcome of one run on one target."""

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

    @property
    def replay(self) -> str:
        """The command that repeats this run."""
        return (
            f"python -m echomq_conformance run --target {self.target}"
            f" --budget {self.budget} --seed {self.seed}"
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

    def as_data(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {"schema": SCHEMA, "replay": self.replay, "exit_code": self.exit_code} | asdict(self)


def judge(report: Report, unreached: dict[str, list[str]]) -> list[ClauseReport]:
    """The verdict on every clause. `unreached`: clause → rare branches that no step reached."""
    return [_judge_one(report, clause, unreached.get(clause, [])) for clause in CLAUSES]


def _judge_one(report: Report, clause_id: str, unreached: list[str]) -> ClauseReport:
    clause = CLAUSES[clause_id]
    about = [item for item in report.evidence if clause_id in item.clauses]
    passed = [item for item in about if item.passed]
    notes: tuple[str, ...] = ()
    if clause.profile == "prose" or clause.status == "planned":
        verdict = Verdict.PROSE
    elif failures := [item for item in about if item.passed is False]:
        verdict = Verdict.FAILED
        notes = tuple(item.message for item in failures)
    elif clause.profile not in report.claims:
        verdict = Verdict.NOT_CLAIMED
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
    return ClauseReport(clause_id, clause.title, verdict, len(passed), notes)
