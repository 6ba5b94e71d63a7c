"""JUnit, Markdown, the HTML page and the badge."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from echomq_conformance.report import Evidence, Report
from echomq_conformance.reports import (
    FORMS,
    badge,
    document,
    junit,
    markdown,
    page,
    read_document,
    write_reports,
)

from echomq_core.clauses import CLAUSES

from .made import NASTY, failed, passing, report_of

NESTED = [report_of(failed(NASTY)), report_of(passing())]


# --- JUnit ------------------------------------------------------------------------------------


def _properties(element: ElementTree.Element) -> dict[str, str]:
    return {
        found.attrib["name"]: found.attrib["value"]
        for found in element.findall("properties/property")
    }


def test_junit_has_a_test_for_each_clause_with_its_id_as_a_property(red: Report) -> None:
    root = ElementTree.fromstring(junit([red]))
    (suite,) = root.findall("testsuite")
    cases = suite.findall("testcase")
    assert [_properties(case)["clause"] for case in cases] == list(CLAUSES)
    assert [_properties(case)["verdict"] for case in cases] == [
        str(found.verdict) for found in red.clauses
    ]
    assert _properties(suite)["seed"] == str(red.seed)
    assert _properties(suite)["command"] == red.replay
    assert suite.attrib["tests"] == str(len(cases))
    for kind, name in (("failures", "failure"), ("skipped", "skipped")):
        assert int(suite.attrib[kind]) == sum(case.find(name) is not None for case in cases)


def test_junit_tells_a_failure_with_message_script_and_replay() -> None:
    root = ElementTree.fromstring(junit([report_of(failed())], "r.json"))
    case = next(case for case in root.iter("testcase") if _properties(case)["clause"] == "RING-3")
    failure = case.find("failure")
    assert failure is not None
    assert failure.attrib == {
        "type": "failed",
        "message": "RING-3: ring after enqueue: expected a, found b",
    }
    told = failure.text or ""
    assert "print('ring after enqueue')" in told
    assert "python -m echomq_conformance replay r.json --failure 1" in told


def test_junit_counts_partial_and_not_exercised_as_failures() -> None:
    stopped = Evidence("machine", "machine (sync)", ("RING-1",), None, "stopped early")
    report = report_of(passing(), stopped, unreached={"RING-2": ["a rare one"]})
    root = ElementTree.fromstring(junit([report]))
    types = {
        _properties(case)["clause"]: failure.attrib["type"]
        for case in root.iter("testcase")
        for failure in case.findall("failure")
    }
    assert types == {"RING-1": "partial", "RING-2": "not exercised"}


def test_junit_is_well_formed_whatever_a_target_answers() -> None:
    text = junit(NESTED)
    assert "\\u0000" in ElementTree.tostring(ElementTree.fromstring(text), encoding="unicode")


# --- the page ---------------------------------------------------------------------------------


class _Page(HTMLParser):
    """Collects tags, what they load, and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loads: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in ("meta", "img"):
            self.open.append(tag)
        for name, value in attrs:
            if name in ("src", "srcset", "data", "action"):
                self.loads.append(value or "")
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append(value or "")
            assert not name.startswith("on"), f"a script in {name}"

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def _read(reports: list[Report]) -> _Page:
    found = _Page()
    found.feed(page(reports, "r.json"))
    found.close()
    assert found.open == []
    return found


def test_the_page_needs_nothing_from_elsewhere() -> None:
    found = _read([report_of(failed())])
    assert "script" not in found.tags
    assert "link" not in found.tags
    assert [load[:26] for load in found.loads] == ["data:image/svg+xml;base64,"]
    assert all(link.startswith("#") for link in found.links)
    css = page([report_of(passing())]).split("<style>")[1].split("</style>")[0]
    assert "url(" not in css
    assert "@import" not in css
    assert "prefers-color-scheme: dark" in css


def test_the_page_links_to_places_that_it_has(red: Report, green: Report) -> None:
    found = _read([red, green])
    assert len(set(found.ids)) == len(found.ids)
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)


def test_the_page_shows_verdicts_seed_command_failures_and_counts() -> None:
    found = _read([report_of(failed(), unreached={"RING-2": ["a rare one"]})])
    for told in (
        "broken",
        "core: failed",
        "cluster: not claimed",
        "seed 7",
        "python -m echomq_conformance run --target made.target:make --budget quick --seed 7",
        "python -m echomq_conformance replay r.json --failure 1",
        "1. RING-3: machine (sync)",
        "print('ring after enqueue')",
        "a rare one",
        "never reached: a rare one",
        "Verbs that are not supported: drain, pause",
        *CLAUSES,
    ):
        assert told in found.text, told


def test_the_page_escapes_what_a_target_answers() -> None:
    found = _read(NESTED)
    assert "script" not in found.tags
    assert "<script>alert(" in found.text


# --- Markdown and badge -----------------------------------------------------------------------


def test_markdown_tells_verdicts_failures_and_how_to_repeat_them() -> None:
    text = markdown([report_of(failed(), unreached={"RING-2": ["a rare one"]})], "r.json")
    for told in (
        "**Broken.**",
        "| `core` | failed |",
        f"| RING-3 | {CLAUSES['RING-3'].title} | failed |",
        "### 1. RING-3: machine (sync)",
        "print('ring after enqueue')",
        "Again: `python -m echomq_conformance replay r.json --failure 1`",
        "budget quick, seed 7",
        "- RING-2 not exercised: never reached: a rare one",
        "| a rare one | 0 |",
    ):
        assert told in text, told


def test_markdown_keeps_its_fences_and_cells_whatever_a_target_answers() -> None:
    text = markdown(NESTED)
    assert "````" in text
    rows = [line for line in text.splitlines() if line.startswith("| RING-")]
    assert rows
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {5}


@pytest.mark.parametrize(
    ("report", "told"),
    [
        (report_of(passing()), "EchoMQ 0.1: core · bulk"),
        (report_of(failed()), "EchoMQ 0.1: 1 clause broken"),
        (report_of(), "EchoMQ 0.1: not all was shown"),
    ],
)
def test_the_badge_says_which_profiles_conform_or_that_not_all_is_well(
    report: Report, told: str
) -> None:
    root = ElementTree.fromstring(badge([report]))
    assert root.attrib["aria-label"] == told
    texts = [found.text for found in root.iter("{http://www.w3.org/2000/svg}text")]
    assert ": ".join(filter(None, texts)) == told


def test_the_badge_of_several_targets_names_the_profiles_of_all() -> None:
    core = report_of(passing())
    core.claims = ("core",)
    assert "EchoMQ 0.1: core<" in badge([report_of(passing()), core])


def test_every_form_can_be_written_whatever_a_target_answers(tmp_path: Path) -> None:
    write_reports(NESTED, {form: tmp_path / form for form in FORMS})
    again = read_document(json.loads((tmp_path / "json").read_text("utf-8")))
    assert document(again) == document(NESTED)
    ElementTree.parse(tmp_path / "junit")
