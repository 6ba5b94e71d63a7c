"""Reports made by hand: what a run finds, without the run."""

from __future__ import annotations

from echomq_conformance.report import Breach, Evidence, Features, MachineReport, Report, judge
from echomq_conformance.target import PROFILES

from echomq_core.clauses import CLAUSES

__all__ = ["NASTY", "failed", "passing", "report_of"]

NASTY = "<script>alert('&\"')</script> | `code` \x00\ud83d ``` end"
"""Text that breaks HTML, XML and Markdown where it is not escaped; a surrogate is no UTF-8."""


def report_of(*evidence: Evidence, unreached: dict[str, list[str]] | None = None) -> Report:
    """A judged report of a target that claims `core` and `bulk`."""
    report = Report(
        target="made",
        version="1.2",
        server="store 3",
        claims=tuple(name for name in PROFILES if name in ("core", "bulk")),
        budget="quick",
        seed=7,
        kit="0.1.0",
        python="3.11.0",
        seconds=1.5,
        evidence=list(evidence),
        machines=[
            MachineReport(
                "sync", 2, 9, {"verbs": {"claim": 9}, "answers": {}, "branches": {"a rare one": 0}}
            )
        ],
        features=Features(("claim",), ("drain", "pause", "pause_queue", "resume_queue")),
        client="library 4",
        address="made.target:make",
        finished="2024-01-01T00:00:00+00:00",
    )
    report.clauses = judge(report, unreached or {})
    return report


def passing() -> Evidence:
    """Evidence for all that the target claims."""
    clauses = tuple(name for name, rule in CLAUSES.items() if rule.profile in ("core", "bulk"))
    return Evidence("check", "everything", clauses, True, face="sync")


def failed(text: str = "ring after enqueue") -> Evidence:
    """Evidence against RING-3, with a script and a picture."""
    return Evidence(
        "machine",
        "machine (sync)",
        ("RING-3",),
        False,
        f"RING-3: {text}: expected a, found b",
        f"print('{text}')",
        "sync",
        Breach("RING-3", text, "a", "b"),
        ({"advance_ms": 5},),
        {"threads-timeline.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>"},
    )
