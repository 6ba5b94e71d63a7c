"""The tables of a matrix as Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..profiles import VERB_PROFILES
from ..report import Report, Verdict
from .cells import TOPOLOGIES, Cell

__all__ = ["CLAUSE_OF", "cell_text", "server_table", "verb_table"]

NOT_RUN = "*not run*"


def cell_text(cell: Cell) -> str:
    """What a cell says: never a pass for what was not run."""
    if not cell.reports:
        return NOT_RUN
    failed = sum(_count(report, Verdict.FAILED) for report in cell.reports)
    if failed or any(report.failures for report in cell.reports):
        return f"**broken**: {failed} clauses failed"
    unshown = sum(
        _count(report, Verdict.PARTIAL) + _count(report, Verdict.NOT_EXERCISED)
        for report in cell.reports
    )
    passed = " + ".join(str(_count(report, Verdict.PASSED)) for report in cell.reports)
    return f"passed {passed}" + (f", not shown {unshown}" if unshown else "")


def server_table(cells: Sequence[Cell]) -> str:
    """Server and protocol down, topologies across; below, why something was not run."""
    lines = ["| server | version | protocol | " + " | ".join(TOPOLOGIES) + " |"]
    lines.append("|---|---|---|" + "---|" * len(TOPOLOGIES))
    rows: dict[tuple[str, int], dict[str, Cell]] = {}
    for cell in cells:
        row = rows.setdefault((cell.place.server.name, cell.place.protocol), {})
        row[cell.place.topology] = cell
    for (server, protocol), row in rows.items():
        version = _versions(row.values()) or "-"
        texts = [cell_text(row[name]) if name in row else NOT_RUN for name in TOPOLOGIES]
        lines.append(f"| {server} | {version} | RESP{protocol} | " + " | ".join(texts) + " |")
    reasons = dict.fromkeys(f"{cell.place.server.name}: {cell.reason}" for cell in _left_out(cells))
    return "\n".join(
        [*lines, *(["", *(f"Not run: {each}" for each in reasons)] if reasons else [])]
    )


def verb_table(cells: Sequence[Cell]) -> str:
    """Verbs down, topologies across: the worst verdict on a verb's clause over all that was run
    there, and how often the machine called it."""
    lines = ["| verb | profile | " + " | ".join(TOPOLOGIES) + " |"]
    lines.append("|---|---|" + "---|" * len(TOPOLOGIES))
    for verb, profile in VERB_PROFILES.items():
        texts = []
        for topology in TOPOLOGIES:
            there = [cell for cell in cells if cell.place.topology == topology]
            texts.append(_verb(verb, [report for cell in there for report in cell.reports]))
        lines.append(f"| `{verb}` | {profile} | " + " | ".join(texts) + " |")
    return "\n".join(lines)


_CLAUSES = {
    "VERB-weights": ("weight", "unweight", "wclaim"),
    "VERB-bulk": ("enqueue_many", "complete_many", "extend_many"),
    "VERB-lanes": ("pause", "resume", "limit", "unlimit"),
    "VERB-queue-pause": ("pause_queue", "resume_queue"),
    "VERB-job": ("job", "depth"),
    "VERB-reads": ("depths", "lanes", "ring", "dead_jobs", "browse", "configuration"),
}
CLAUSE_OF = {verb: f"VERB-{verb}" for verb in VERB_PROFILES} | {
    verb: clause for clause, verbs in _CLAUSES.items() for verb in verbs
}
"""Verb → the clause that says what it does."""

_BETTER = (Verdict.NOT_CLAIMED, Verdict.ELSEWHERE, Verdict.PASSED)
_WORST_FIRST = (Verdict.FAILED, Verdict.PARTIAL, Verdict.NOT_EXERCISED, *_BETTER)


def _verb(verb: str, reports: Sequence[Report]) -> str:
    if not reports:
        return NOT_RUN
    verdicts = {
        found.verdict
        for report in reports
        for found in report.clauses
        if found.clause == CLAUSE_OF[verb]
    }
    verdict = next((each for each in _WORST_FIRST if each in verdicts), Verdict.NOT_EXERCISED)
    calls = sum(
        machine.counts.get("verbs", {}).get(verb, 0)
        for report in reports
        for machine in report.machines
    )
    return f"{verdict} ({calls:,} calls)" if calls else str(verdict)


def _count(report: Report, verdict: Verdict) -> int:
    return sum(clause.verdict == verdict for clause in report.clauses)


def _versions(cells: Iterable[Cell]) -> str:
    told = (report.server for cell in cells for report in cell.reports)
    return ", ".join(dict.fromkeys(told))


def _left_out(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if not cell.reports]
