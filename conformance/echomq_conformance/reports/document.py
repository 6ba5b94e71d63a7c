"""A report as a JSON document and back. `schema/report-1.json` describes it; other forms are made of it.

Within a version of the schema, fields are only added. What is taken away or changes its meaning makes
a new version, and `read_document` goes on reading the old ones.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.resources import files
from typing import Any

from ..report import (
    Breach,
    ClauseReport,
    Evidence,
    Features,
    MachineReport,
    Report,
    Skipped,
    Verdict,
)
from .verdicts import exit_code, profile_verdicts, replay_command

__all__ = ["SCHEMA", "DocumentError", "document", "read_document", "schema"]

SCHEMA = "echomq-conformance-report/1"

_OUTCOMES = {True: "passed", False: "failed", None: "stopped"}


class DocumentError(ValueError):
    """A file that is no report of a version that this kit reads; the message says what it is."""


def schema() -> dict[str, Any]:
    """The JSON Schema of a report."""
    path = files("echomq_conformance") / "schema" / "report-1.json"
    found: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return found


def document(reports: Sequence[Report], file: str = "report.json") -> dict[str, Any]:
    """The reports of one call as JSON-ready data. `file`: its name, for the commands that replay."""
    numbers = iter(range(1, 1 + sum(len(report.failures) for report in reports)))
    return {
        "schema": SCHEMA,
        "exit_code": exit_code(reports),
        "runs": [
            _run(report, [_failure(item, next(numbers), file) for item in report.failures])
            for report in reports
        ],
    }


def _run(report: Report, failures: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "target": {
            "name": report.target,
            "version": report.version,
            "address": report.address,
            "server": report.server,
            "client": report.client,
        },
        "versions": {"kit": report.kit, "spec": report.spec, "python": report.python},
        "claims": list(report.claims),
        "narrowed_to": list(report.profiles),
        "budget": report.budget,
        "seed": report.seed,
        "seconds": round(report.seconds, 3),
        "finished": report.finished,
        "command": report.replay,
        "exit_code": report.exit_code,
        "verdicts": {str(verdict): report.count(verdict) for verdict in Verdict},
        "profiles": {
            found.name: {"verdict": found.verdict, "clauses": dict(found.counts)}
            for found in profile_verdicts(report)
        },
        "clauses": [_clause(found, report) for found in report.clauses],
        "evidence": [_evidence(item) for item in report.evidence],
        "failures": failures,
        "skipped": [asdict(item) for item in report.skipped],
        "features": {name: list(verbs) for name, verbs in asdict(report.features).items()},
        "machines": [asdict(machine) for machine in report.machines],
    }


def _clause(found: ClauseReport, report: Report) -> dict[str, Any]:
    about = (item for item in report.evidence if found.clause in item.clauses)
    return {
        "id": found.clause,
        "title": found.title,
        "profile": found.profile,
        "verdict": str(found.verdict),
        "passes": found.evidence,
        "evidence": list(dict.fromkeys(item.title for item in about)),
        "notes": list(found.notes),
    }


def _evidence(item: Evidence) -> dict[str, Any]:
    return {
        "kind": item.kind,
        "name": item.name,
        "face": item.face,
        "clauses": list(item.clauses),
        "outcome": _OUTCOMES[item.passed],
        "message": item.message,
    }


def _failure(item: Evidence, number: int, file: str) -> dict[str, Any]:
    breach = item.breach or Breach(item.clauses[0], item.message)
    return {
        "number": number,
        "kind": item.kind,
        "name": item.name,
        "face": item.face,
        **asdict(breach),
        "message": item.message,
        "program": item.program,
        "script": [dict(step) for step in item.script],
        "exhibits": dict(item.exhibits),
        "replay": replay_command(file, number),
    }


# --- and back ---------------------------------------------------------------------------------


def read_document(data: Any) -> list[Report]:
    """The reports of a document. Raises `DocumentError`."""
    named = data.get("schema") if isinstance(data, Mapping) else None
    if named != SCHEMA:
        raise DocumentError(f"not a report of a form that is known: {named!r}; this reads {SCHEMA}")
    try:
        return [_report(run) for run in data["runs"]]
    except (AttributeError, KeyError, TypeError, ValueError) as wrong:
        raise DocumentError(f"a broken report: {wrong!r}") from wrong


def _report(run: Mapping[str, Any]) -> Report:
    target, versions = run["target"], run["versions"]
    failures = iter(run["failures"])
    return Report(
        target=target["name"],
        version=target["version"],
        server=target["server"],
        claims=tuple(run["claims"]),
        budget=run["budget"],
        seed=run["seed"],
        kit=versions["kit"],
        python=versions["python"],
        seconds=run["seconds"],
        evidence=[
            _evidence_of(item, next(failures) if item["outcome"] == "failed" else None)
            for item in run["evidence"]
        ],
        machines=[MachineReport(**machine) for machine in run["machines"]],
        clauses=[_clause_of(clause) for clause in run["clauses"]],
        skipped=[Skipped(**item) for item in run["skipped"]],
        features=Features(**{name: tuple(verbs) for name, verbs in run["features"].items()}),
        spec=versions["spec"],
        client=target["client"],
        address=target["address"],
        finished=run["finished"],
        profiles=tuple(run["narrowed_to"]),
    )


def _clause_of(data: Mapping[str, Any]) -> ClauseReport:
    return ClauseReport(
        data["id"],
        data["title"],
        Verdict(data["verdict"]),
        data["passes"],
        tuple(data["notes"]),
        data["profile"],
    )


def _evidence_of(data: Mapping[str, Any], failure: Mapping[str, Any] | None) -> Evidence:
    passed = {outcome: passed for passed, outcome in _OUTCOMES.items()}[data["outcome"]]
    plain = (data["kind"], data["name"], tuple(data["clauses"]), passed, data["message"])
    if failure is None:
        return Evidence(*plain, face=data["face"])
    return Evidence(
        *plain,
        program=failure["program"],
        face=data["face"],
        breach=Breach(*(failure[name] for name in ("clause", "where", "expected", "got"))),
        script=tuple(failure["script"]),
        exhibits=failure["exhibits"],
    )
