"""The pages of the reference that are generated, and those that describe files."""

from __future__ import annotations

from pathlib import Path

from echomq_conformance.matrix import clause_page
from echomq_conformance.reports import SCHEMA
from echomq_conformance.reports.document import schema

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"


def test_the_page_of_clauses_is_up_to_date() -> None:
    text = (REFERENCE / "clauses.md").read_text("utf-8")
    again = "python -m echomq_conformance clauses --markdown > docs/reference/clauses.md"
    assert text == clause_page() + "\n", f"write it again: {again}"


def test_the_page_of_the_report_names_every_field_of_a_run_and_of_a_failure() -> None:
    text = (REFERENCE / "report.md").read_text("utf-8")
    assert f"`{SCHEMA}`" in text
    parts = schema()["$defs"]
    missing = [
        name
        for part in ("run", "failure")
        for name in parts[part]["properties"]
        if f"`{name}`" not in text
    ]
    assert missing == []
