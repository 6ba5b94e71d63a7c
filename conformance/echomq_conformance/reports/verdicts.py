"""What every form of a report says in the same words: verdicts of profiles, of runs, and commands."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..report import Evidence, Report, Verdict
from ..target import PROFILES

__all__ = [
    "ProfileVerdict",
    "conclusion",
    "exit_code",
    "numbered_failures",
    "profile_verdicts",
    "replay_command",
    "steps_text",
]

_WORST_FIRST = (
    Verdict.FAILED,
    Verdict.PARTIAL,
    Verdict.NOT_EXERCISED,
    Verdict.PASSED,
    Verdict.ELSEWHERE,
    Verdict.PROVISIONAL,
)

_CONCLUSIONS = ("conforms", "broken", "not all was shown")


@dataclass(frozen=True, slots=True)
class ProfileVerdict:
    """A profile with the worst verdict among its clauses, and how many have which."""

    name: str
    verdict: str
    counts: Mapping[str, int]


def profile_verdicts(report: Report) -> Iterator[ProfileVerdict]:
    """Every profile that a target can claim, in the order of the spec."""
    for name in PROFILES:
        counts = Counter(clause.verdict for clause in report.clauses if clause.profile == name)
        verdict = Verdict.NOT_CLAIMED
        if name in report.claims:
            verdict = next((each for each in _WORST_FIRST if counts[each]), Verdict.NOT_EXERCISED)
        ordered = {str(each): counts[each] for each in Verdict if counts[each]}
        yield ProfileVerdict(name, str(verdict), ordered)


def exit_code(reports: Sequence[Report]) -> int:
    """0: all that is claimed was shown; 1: something failed; 2: something was not shown."""
    codes = {report.exit_code for report in reports}
    return 1 if 1 in codes else max(codes, default=0)


def conclusion(code: int) -> str:
    """An exit code in words."""
    return _CONCLUSIONS[code]


def numbered_failures(reports: Sequence[Report]) -> Iterator[tuple[int, Report, Evidence]]:
    """Every failure with its number, by which `replay` knows it."""
    failures = ((report, item) for report in reports for item in report.failures)
    for number, (report, item) in enumerate(failures, 1):
        yield number, report, item


def replay_command(file: str, number: int) -> str:
    """The command that plays a failure again; `--target` plays it on another target."""
    return f"python -m echomq_conformance replay {shlex.quote(file)} --failure {number}"


def steps_text(script: Sequence[Mapping[str, Any]]) -> str:
    """The steps of a script as JSON, one to a line."""
    return "\n".join(json.dumps(dict(step), ensure_ascii=False) for step in script)
