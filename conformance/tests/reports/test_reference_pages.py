"""The pages of the reference that are generated, and those that describe files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from echomq_conformance.matrix import clause_page
from echomq_conformance.reports import SCHEMA, markdown, read_document, schema
from jsonschema import Draft202012Validator

from echomq_core.clauses import SPEC_VERSION

DOCS = Path(__file__).parents[3] / "docs"
REFERENCE = DOCS / "reference"
COMMITTED = sorted((DOCS / "reports").rglob("*.json"))


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


@pytest.mark.parametrize("path", COMMITTED, ids=lambda path: path.stem)
def test_a_committed_report_keeps_to_the_schema_and_has_its_page(path: Path) -> None:
    data = json.loads(path.read_text("utf-8"))
    Draft202012Validator(schema()).validate(data)
    (report,) = read_document(data)
    assert report.target == path.stem
    assert report.spec == path.parent.name
    named = path.relative_to(DOCS.parent).as_posix()
    assert path.with_suffix(".md").read_text("utf-8") == markdown([report], named)


def test_there_are_reports_of_this_version_of_the_spec() -> None:
    assert {path.parent.name for path in COMMITTED} >= {SPEC_VERSION}
