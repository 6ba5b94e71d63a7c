"""Reports for a terminal; `reports` has the forms for files."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from echomq_core.clauses import CLAUSES

from .report import MachineReport, Report, Verdict

__all__ = ["matrix", "text"]

LEAST = 20
"""Occurrences below which a count of the standard run is pointed out."""

_MARKS = {
    Verdict.PASSED: "pass",
    Verdict.FAILED: "FAIL",
    Verdict.PARTIAL: "part",
    Verdict.UNSUPPORTED: "-",
    Verdict.NOT_CLAIMED: "-",
    Verdict.NOT_EXERCISED: "none",
    Verdict.ELSEWHERE: "test",
    Verdict.PROVISIONAL: "text",
    Verdict.PROSE: "text",
}


def text(report: Report) -> str:
    """One target's report: failures first, then counts, then what is not simply passed."""
    lines = [
        f"== {report.target} ({report.server}), budget {report.budget}, seed {report.seed},"
        f" {report.seconds:.1f} s",
        "   " + ", ".join(f"{report.count(v)} {v}" for v in Verdict if report.count(v)),
    ]
    for failure in report.failures:
        lines += ["", f"FAILED {failure.kind} {failure.name}", f"   {failure.message}"]
        if failure.program:
            lines += ["   as a program:", textwrap.indent(failure.program, "      ")]
    if report.failures:
        lines += [f"   again: {report.replay}"]
    least = 1 if report.budget == "quick" else LEAST
    lines += [line for machine in report.machines for line in _machine(machine, least)]
    for clause in report.clauses:
        if clause.verdict in (Verdict.PARTIAL, Verdict.NOT_EXERCISED):
            lines.append(f"   {clause.clause}: {clause.verdict} ({'; '.join(clause.notes)})")
    return "\n".join(lines)


def _machine(machine: MachineReport, least: int) -> list[str]:
    lines = [f"   machine ({machine.face}): {machine.examples} examples, {machine.steps} steps"]
    for kind, table in machine.counts.items():
        parts = [f"{name} {count}" for name, count in table.items()]
        shown = textwrap.fill(
            " · ".join(parts), 110, initial_indent="      ", subsequent_indent="      "
        )
        lines += [f"    {kind}:", shown]
        rare = [f"{name} ({count})" for name, count in table.items() if count < least]
        if rare:
            lines.append(f"      fewer than {least}: {', '.join(rare)}")
    return lines


def matrix(reports: Sequence[Report]) -> str:
    """Clauses down, targets across."""
    width = max(len(clause) for clause in CLAUSES) + 1
    columns = [max(5, len(report.target)) for report in reports]
    head = " " * width + "  ".join(
        report.target.ljust(size) for report, size in zip(reports, columns, strict=True)
    )
    lines = [head]
    for index, clause in enumerate(CLAUSES.values()):
        marks = "  ".join(
            _MARKS[report.clauses[index].verdict].ljust(size)
            for report, size in zip(reports, columns, strict=True)
        )
        lines.append(f"{clause.id.ljust(width)}{marks}  {clause.title}")
    lines += [
        "",
        "pass: shown · FAIL: broken · part: something was left out · none: no run reached it ·"
        " -: not claimed",
        "test: shown by a test of the project, not on a backend alone · text: no automatic check",
    ]
    return "\n".join(lines)
