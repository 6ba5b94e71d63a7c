"""The JSON report: its schema, and that nothing is lost on the way to it and back."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from echomq_conformance.report import Report, Verdict
from echomq_conformance.reports import FORMS, document, read_document, schema
from echomq_conformance.reports.document import DocumentError
from echomq_conformance.target import PROFILES
from jsonschema import Draft202012Validator

from echomq_core.clauses import CLAUSES

from .made import failed, passing, report_of

VALIDATOR = Draft202012Validator(schema())


def _through_json(reports: list[Report]) -> Any:
    return json.loads(json.dumps(document(reports, "report.json")))


def _errors(data: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in VALIDATOR.iter_errors(data)]


def test_the_schema_is_a_schema_and_names_every_verdict_and_profile() -> None:
    Draft202012Validator.check_schema(schema())
    assert set(schema()["$defs"]["verdict"]["enum"]) == {str(verdict) for verdict in Verdict}
    assert tuple(schema()["$defs"]["profile"]["enum"]) == PROFILES


def test_reports_of_runs_keep_to_the_schema(green: Report, red: Report) -> None:
    assert _errors(_through_json([green])) == []
    assert _errors(_through_json([red, green])) == []


def _remove(*path: str | int) -> Any:
    def change(data: Any) -> None:
        *way, last = path
        for step in way:
            data = data[step]
        del data[last]

    return change


def _set(value: object, *path: str | int) -> Any:
    def change(data: Any) -> None:
        *way, last = path
        for step in way:
            data = data[step]
        data[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        _remove("runs", 0, "seed"),
        _remove("runs", 0, "versions", "spec"),
        _remove("runs", 0, "failures", 0, "replay"),
        _remove("runs", 0, "failures", 0, "expected"),
        _set("green", "runs", 0, "clauses", 0, "verdict"),
        _set(3, "exit_code"),
        _set("echomq-conformance-report/2", "schema"),
        _set({"core": {"verdict": "fine", "clauses": {}}}, "runs", 0, "profiles"),
        _set([{"kind": "check", "name": "x", "reason": ""}], "runs", 0, "skipped"),
        _set(["bulk"], "runs", 0, "claims"),
    ],
)
def test_what_does_not_keep_to_the_schema_is_refused(change: Any) -> None:
    data = _through_json([report_of(failed())])
    assert _errors(data) == []
    change(data)
    assert _errors(data) != []


def test_a_document_says_all_that_a_reader_needs(red: Report) -> None:
    (run,) = _through_json([red])["runs"]
    assert run["target"]["name"] == "faulty-complete_rejoins_at_the_head"
    assert run["target"]["server"].startswith("memory ")
    assert run["versions"]["spec"] == "0.1"
    assert run["seed"] == 20_240_101
    assert [clause["id"] for clause in run["clauses"]] == list(CLAUSES)
    ring_3 = next(clause for clause in run["clauses"] if clause["id"] == "RING-3")
    assert ring_3["verdict"] == "failed"
    assert "machine (sync)" in ring_3["evidence"]
    assert run["profiles"]["core"]["verdict"] == "failed"
    assert run["profiles"]["cluster"]["verdict"] == "not claimed"
    found = next(each for each in run["failures"] if each["kind"] == "machine")
    assert (found["clause"], found["where"]) == ("RING-3", "ring after enqueue")
    assert found["expected"]
    assert found["got"]
    assert any(step.get("verb") == "enqueue" for step in found["script"])
    assert "backend.enqueue(" in found["program"]
    assert run["machines"][0]["counts"]["branches"]
    assert any("wire" in item["reason"] for item in run["skipped"])


def test_failures_are_numbered_through_the_file() -> None:
    data = document([report_of(failed(), failed()), report_of(failed())], "a file.json")
    numbers = [each["number"] for run in data["runs"] for each in run["failures"]]
    assert numbers == [1, 2, 3]
    assert data["runs"][1]["failures"][0]["replay"] == (
        "python -m echomq_conformance replay 'a file.json' --failure 3"
    )


def test_a_report_comes_back_from_its_document(green: Report, red: Report) -> None:
    data = _through_json([green, red])
    assert document(read_document(data), "report.json") == data


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_from_the_document(form: str, red: Report) -> None:
    again = read_document(_through_json([red]))
    make = FORMS[form][1]
    assert make(again, "report.json") == make([red], "report.json")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ([], "not a report"),
        ({"schema": "echomq-conformance-report/9"}, "echomq-conformance-report/9"),
        ({"schema": "echomq-conformance-report/1"}, "broken report"),
        ({"schema": "echomq-conformance-report/1", "runs": [{}]}, "broken report"),
    ],
)
def test_what_is_no_report_is_refused_in_words(data: object, told: str) -> None:
    with pytest.raises(DocumentError, match=told):
        read_document(data)


def test_fields_that_a_later_kit_adds_are_ignored() -> None:
    data = _through_json([report_of(passing())])
    more = copy.deepcopy(data)
    more["runs"][0]["weather"] = "fine"
    more["runs"][0]["target"]["colour"] = "blue"
    assert _errors(more) == []
    assert document(read_document(more), "report.json") == data
