"""JUnit XML: a suite for each target, a test for each clause, with the clause as a property."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from ..report import NOT_TO_SHOW, ClauseReport, Report, Verdict
from .verdicts import numbered_failures, replay_command

__all__ = ["junit"]

_RED = (Verdict.FAILED, Verdict.PARTIAL, Verdict.NOT_EXERCISED)
_NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(reports: Sequence[Report], file: str = "report.json") -> str:
    """The XML text. Failed, partial and not exercised clauses are failures; what is not for the
    target to show is skipped. The details of a failed clause say how to replay it."""
    root = Element("testsuites", name="EchoMQ conformance")
    numbers = {id(item): number for number, _, item in numbered_failures(reports)}
    for report in reports:
        suite = SubElement(
            root,
            "testsuite",
            name=report.target,
            tests=str(len(report.clauses)),
            failures=str(sum(found.verdict in _RED for found in report.clauses)),
            errors="0",
            skipped=str(sum(found.verdict in NOT_TO_SHOW for found in report.clauses)),
            time=f"{report.seconds:.3f}",
            timestamp=report.finished.removesuffix("+00:00"),
        )
        _properties(suite, _about(report))
        for found in report.clauses:
            _case(suite, report, found, numbers, file)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _about(report: Report) -> dict[str, str]:
    return {
        "target": f"{report.target} {report.version}",
        "server": report.server,
        "client": report.client,
        "kit": report.kit,
        "spec": report.spec,
        "python": report.python,
        "claims": " ".join(report.claims),
        "budget": report.budget,
        "seed": str(report.seed),
        "command": report.replay,
    }


def _properties(parent: Element, values: Mapping[str, str]) -> None:
    properties = SubElement(parent, "properties")
    for name, value in values.items():
        SubElement(properties, "property", name=name, value=_clean(value))


def _case(
    suite: Element, report: Report, found: ClauseReport, numbers: Mapping[int, int], file: str
) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=f"{report.target}.{found.profile}",
        name=_clean(f"{found.clause} {found.title}"),
    )
    failures = [item for item in report.failures if found.clause in item.clauses]
    replays = [replay_command(file, numbers[id(item)]) for item in failures]
    about = {"clause": found.clause, "profile": found.profile, "verdict": str(found.verdict)}
    named = {f"replay {place}": command for place, command in enumerate(replays, 1)}
    _properties(case, about | named)
    told = _clean("; ".join(found.notes))
    if found.verdict in _RED:
        failure = SubElement(
            case, "failure", type=str(found.verdict), message=told.split("\n", 1)[0]
        )
        programs = [item.program for item in failures if item.program]
        failure.text = _clean("\n\n".join([*found.notes, *replays, *programs]))
    elif found.verdict in NOT_TO_SHOW:
        reason = f"{found.verdict}: {told}" if told else str(found.verdict)
        SubElement(case, "skipped", message=reason)


def _clean(text: str) -> str:
    """Characters that XML cannot hold, as escapes."""
    return _NOT_IN_XML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
