"""Writing the forms of a report that were asked for."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ..report import Report
from .badge import badge
from .document import document
from .junit import junit
from .markdown import markdown
from .page import page

__all__ = ["FORMS", "write_reports"]

Form = Callable[[Sequence[Report], str], str]


def _json(reports: Sequence[Report], file: str) -> str:
    return json.dumps(document(reports, file), indent=1, ensure_ascii=False) + "\n"


FORMS: Mapping[str, tuple[str, Form]] = {
    "json": ("the whole report, for machines and for `replay`", _json),
    "junit": ("one test per clause, as JUnit XML", junit),
    "markdown": ("verdicts, failures and counts as Markdown", markdown),
    "html": ("the same as one page that needs nothing else", page),
    "badge": ("a badge as SVG", lambda reports, _: badge(reports)),
}
"""Option → what it writes, in words and as a function of the reports and the JSON file's name."""


def write_reports(
    reports: Sequence[Report], paths: Mapping[str, Path], file: str = "report.json"
) -> None:
    """`paths`: form → file to write. Folders are made. `file`: what the commands to replay name."""
    for form, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        # A target may answer half a surrogate pair, which no file can hold; in JSON the escape is one.
        path.write_text(FORMS[form][1](reports, file), "utf-8", errors="backslashreplace")
