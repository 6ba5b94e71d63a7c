"""The SQLite example, judged as a stranger would: its own package against the installed kit."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest

from echomq_core.clauses import CLAUSES

from .workshop import ROOT, Workshop

EXAMPLE = ROOT / "examples" / "echomq-sqlite"
ELSEWHERE = {"OPEN-1"}
"""Clauses of `core` that a backend alone cannot show."""


def test_nothing_comes_from_the_checkout(stranger: Workshop) -> None:
    names = "echomq_core, echomq_memory, echomq_conformance, echomq_sqlite"
    code = f"import {names}\nfor module in ({names}): print(module.__file__)"
    found = stranger.run("python", "-c", code)
    assert found.returncode == 0, found.stdout
    inside = str(stranger.folder / "env")
    assert [line for line in found.stdout.splitlines() if not line.startswith(inside)] == []


def test_the_example_imports_nothing_but_core_and_the_kits_target() -> None:
    allowed = ("echomq_core", "echomq_conformance.target")
    for path in EXAMPLE.glob("src/**/*.py"):
        for line in path.read_text("utf-8").splitlines():
            words = line.split()
            if words[:1] in (["from"], ["import"]) and words[1].startswith("echomq"):
                assert words[1].startswith(allowed), f"{path.name}: {line}"


def test_its_own_tests_pass_and_no_clause_of_core_is_skipped(stranger: Workshop) -> None:
    shutil.copytree(EXAMPLE / "tests", stranger.folder / "tests")
    shutil.copy(EXAMPLE / "pyproject.toml", stranger.folder)
    found = stranger.run("python", "-m", "pytest", "-q", "--junitxml", "junit.xml")
    assert found.returncode == 0, found.stdout[-8_000:]
    cases = {
        str(case.get("name")): case.find("skipped") is not None
        for case in ElementTree.parse(stranger.folder / "junit.xml").iter("testcase")
    }
    core = {name for name, clause in CLAUSES.items() if clause.profile == "core"} - ELSEWHERE
    assert {clause for clause in core if cases[f"test_clause[{clause}]"]} == set()
    assert [name for name, skipped in cases.items() if skipped and "clause" not in name] == []


def test_the_command_line_finds_it_and_passes_all_that_it_claims(stranger: Workshop) -> None:
    report = Path(stranger.folder / "report.json")
    found = stranger.run(
        *("python", "-m", "echomq_conformance", "run", "--target", "sqlite"),
        *("--budget", "quick", "--json", str(report)),
    )
    assert found.returncode == 0, found.stdout[-8_000:]
    (judged,) = json.loads(report.read_text("utf-8"))["runs"]
    assert judged["claims"] == ["core", "bulk", "concurrent", "durable"]
    verdicts = {item["id"]: item["verdict"] for item in judged["clauses"]}
    claimed = {
        name
        for name, clause in CLAUSES.items()
        if clause.profile in judged["claims"] and clause.status == "stable"
    }
    shown = {name for name in claimed if verdicts[name] == "passed"}
    assert {verdicts[name] for name in claimed - shown} <= {"elsewhere"}
    assert {"RING-1", "TOKEN-2", "VERB-bclaim", "VERB-atomic", "LOOP-7"} <= shown


@pytest.mark.parametrize("url", ["sqlite://jobs.db", "sqlite://:memory:"])
def test_open_1_its_url_opens_by_its_entry_point(stranger: Workshop, url: str) -> None:
    code = (
        "from echomq_core import open_backend\n"
        f"with open_backend({url!r}) as queues:\n"
        "    queues.enqueue('q', 'g', b'')\n"
        "    print(queues.depth('q', 'g'), queues.check().product)\n"
    )
    found = stranger.run("python", "-W", "error", "-c", code)
    assert (found.returncode, found.stdout) == (0, "1 sqlite\n")
