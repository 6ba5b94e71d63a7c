"""A report as Markdown: to keep beside the JSON, and to read in a repository."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..report import ClauseReport, Evidence, MachineReport, Report, Verdict
from .verdicts import (
    conclusion,
    exit_code,
    numbered_failures,
    profile_verdicts,
    replay_command,
    steps_text,
)

__all__ = ["markdown"]

_OPEN = (Verdict.FAILED, Verdict.PARTIAL, Verdict.NOT_EXERCISED)


def markdown(reports: Sequence[Report], file: str = "report.json") -> str:
    """Verdicts of profiles and clauses, failures with their scripts, counts, what was left out."""
    lines = ["# EchoMQ conformance", "", f"**{conclusion(exit_code(reports)).capitalize()}.**", ""]
    for report in reports:
        lines += _about(report)
    lines += ["## Profiles", "", *_profiles(reports), ""]
    failures = list(numbered_failures(reports))
    if failures:
        lines += ["## Failures", ""]
    for number, report, item in failures:
        lines += _failure(number, report, item, file)
    lines += ["## Clauses", "", *_clauses(reports), ""]
    for report in reports:
        lines += [*_open(report), *_machines(report), *_left_out(report)]
    return "\n".join(lines).rstrip("\n") + "\n"


def _about(report: Report) -> list[str]:
    versions = [
        f"target {report.version}",
        f"server {report.server}",
        *([f"client {report.client}"] if report.client else []),
        f"kit {report.kit}",
        f"spec {report.spec}",
        f"Python {report.python}",
    ]
    counts = ", ".join(f"{report.count(each)} {each}" for each in Verdict if report.count(each))
    return [
        f"- **{_plain(report.target)}**: {conclusion(report.exit_code)} ({counts})",
        f"  - {_plain(', '.join(versions))}",
        f"  - budget {report.budget}, seed {report.seed}, {report.seconds:.0f} s,"
        f" finished {report.finished}",
        f"  - again: `{report.replay}`",
        "",
    ]


def _profiles(reports: Sequence[Report]) -> list[str]:
    verdicts = [list(profile_verdicts(report)) for report in reports]
    return [
        *_head(["profile"], reports),
        *(
            _row([f"`{row[0].name}`", *(found.verdict for found in row)])
            for row in zip(*verdicts, strict=True)
        ),
    ]


def _clauses(reports: Sequence[Report]) -> list[str]:
    titles = {found.clause: found.title for report in reports for found in report.clauses}
    verdicts = [
        {found.clause: str(found.verdict) for found in report.clauses} for report in reports
    ]
    return [
        *_head(["clause", "rule"], reports),
        *(
            _row([clause, _plain(title), *(column.get(clause, "-") for column in verdicts)])
            for clause, title in titles.items()
        ),
    ]


def _head(names: list[str], reports: Sequence[Report]) -> list[str]:
    names = [*names, *(_plain(report.target) for report in reports)]
    return [_row(names), "|---" * len(names) + "|"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _failure(number: int, report: Report, item: Evidence, file: str) -> Iterator[str]:
    face = f" ({item.face} face)" if item.face else ""
    yield f"### {number}. {', '.join(item.clauses)}: {_plain(item.title)}"
    yield ""
    yield f"On {_plain(report.target)}{face}."
    yield ""
    if item.breach is not None and item.breach.expected:
        yield from _fenced(
            f"{item.breach.where}\nexpected {item.breach.expected}\ngot      {item.breach.got}", ""
        )
    else:
        yield from _fenced(item.message, "")
    if item.program:
        yield from _fenced(item.program, "python" if item.script else "")
    elif item.script:
        yield from _fenced(steps_text(item.script), "json")
    yield f"Again: `{replay_command(file, number)}`"
    yield ""


def _fenced(text: str, language: str) -> list[str]:
    fence = "```"
    while fence in text:
        fence += "`"
    return [fence + language, text.rstrip("\n"), fence, ""]


def _open(report: Report) -> Iterator[str]:
    found = [each for each in report.clauses if each.verdict in _OPEN]
    if found:
        yield f"## Not shown on {_plain(report.target)}"
        yield ""
        yield from (f"- {_told(each)}" for each in found)
        yield ""


def _told(found: ClauseReport) -> str:
    return f"{found.clause} {found.verdict}: {_plain('; '.join(found.notes))}"


def _machines(report: Report) -> Iterator[str]:
    for machine in report.machines:
        yield f"## The machine on {_plain(report.target)} ({machine.face} face)"
        yield ""
        yield f"{machine.examples} examples, {machine.steps} steps."
        yield ""
        yield from _counts(machine)


def _counts(machine: MachineReport) -> Iterator[str]:
    for kind, table in machine.counts.items():
        yield f"| {kind} | times |"
        yield "|---|---:|"
        yield from (f"| {_plain(name)} | {count} |" for name, count in table.items())
        yield ""


def _left_out(report: Report) -> Iterator[str]:
    features = report.features
    if report.skipped:
        yield f"## Left out on {_plain(report.target)}"
        yield ""
        yield from (f"- {item.kind} {_plain(item.name)}: {item.reason}" for item in report.skipped)
        yield ""
    for words, verbs in (
        ("Verbs that are not supported", features.unsupported),
        ("Verbs that work without being claimed", features.undeclared),
        ("Verbs that fail without saying that they are not supported", features.unclear),
    ):
        if verbs:
            yield f"{words}: {', '.join(f'`{verb}`' for verb in verbs)}."
            yield ""


def _plain(text: str) -> str:
    """Text that stays text inside a line or a cell."""
    for special in "\\`*_|<>[":
        text = text.replace(special, f"\\{special}")
    return " ".join(text.split())
