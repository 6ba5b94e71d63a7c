"""The command line: `run` with every form, `report`, `replay`, and their exit codes."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from echomq_conformance import Target, run
from echomq_conformance.__main__ import main
from echomq_conformance.report import Report
from echomq_conformance.reports import FORMS, write_reports

from . import targets
from .made import passing, report_of


@pytest.fixture(autouse=True)
def _small_and_in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(run.BUDGETS, "quick", targets.SMALL)


def _run(make: Callable[[], Target], *more: str) -> int:
    return main(["run", "--target", targets.address(make), "--budget", "quick", *more])


def _written(file: str) -> Any:
    return json.loads(Path(file).read_text("utf-8"))


def test_a_run_writes_every_form_that_is_asked_for(tmp_path: Path) -> None:
    forms = [part for form in FORMS for part in (f"--{form}", f"out/{form}.file")]
    assert _run(targets.joins_at_the_head, *forms) == 1
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert written == {f"{form}.file" for form in FORMS}
    assert not Path("repro.json").exists()
    assert "replay out/json.file --failure 1" in Path("out/html.file").read_text("utf-8")


def test_report_makes_the_same_files_from_the_json(tmp_path: Path, red: Report) -> None:
    (tmp_path / "direct").mkdir()
    write_reports([red], {"json": Path("r.json")}, "r.json")
    others = [form for form in FORMS if form != "json"]
    write_reports([red], {form: Path("direct") / form for form in others}, "r.json")
    asked = [part for form in others for part in (f"--{form}", f"again/{form}")]
    assert main(["report", "r.json", *asked]) == 1
    for form in others:
        assert Path("again", form).read_bytes() == Path("direct", form).read_bytes()


def test_a_red_run_leaves_its_failures_to_be_replayed(capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(targets.joins_at_the_head) == 1
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("again: ")]
    machine = next(
        item for item in _written("repro.json")["runs"][0]["failures"] if item["kind"] == "machine"
    )
    line = next(line for line in told if line.startswith(f"again: {machine['replay']} "))
    command = shlex.split(line.removeprefix("again: "), comments=True)
    assert command[:3] == ["python", "-m", "echomq_conformance"]
    assert main(command[3:]) == 1
    assert "RING-3: ring after enqueue: expected " in capsys.readouterr().out
    assert main([*command[3:], "--target", targets.address(targets.right)]) == 0
    assert "the fault does not show" in capsys.readouterr().out


def test_every_kind_of_failure_can_be_replayed_on_the_backend_that_has_it(red: Report) -> None:
    write_reports([red], {"json": Path("r.json")})
    failures = {item.kind: number for number, item in enumerate(red.failures, 1)}
    assert {"scenario", "machine", "exhaustive"} <= set(failures)
    for number in failures.values():
        assert main(["replay", "r.json", "--failure", str(number)]) == 1


def test_replay_of_all_failures_passes_on_a_right_backend(red: Report) -> None:
    write_reports([red], {"json": Path("r.json")})
    assert main(["replay", "r.json", "--target", targets.address(targets.right)]) == 0


def test_replay_says_what_a_target_lacks(red: Report, capsys: pytest.CaptureFixture[str]) -> None:
    write_reports([red], {"json": Path("r.json")})
    bulk = next(
        number
        for number, item in enumerate(red.failures, 1)
        if item.name == "bclaim-serves-one-lane-only"
    )
    target = targets.address(targets.core_alone)
    assert main(["replay", "r.json", "--failure", str(bulk), "--target", target]) == 1
    assert "core-alone does not claim bulk" in capsys.readouterr().err


def test_a_run_that_could_not_look_at_a_claim_ends_with_2() -> None:
    assert _run(targets.without_a_probe, "--json", "r.json") == 2
    assert _written("r.json")["exit_code"] == 2
    assert not Path("repro.json").exists()


def test_a_report_of_a_run_that_conforms_ends_with_0() -> None:
    write_reports([report_of(passing())], {"json": Path("r.json")})
    assert main(["report", "r.json", "--badge", "b.svg"]) == 0


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["report", "none.json", "--html", "x"], "none.json: "),
        (["report", "other.json", "--html", "x"], "other.json: not a report"),
        (["report", "text.json", "--html", "x"], "text.json: "),
        (["report", "good.json"], "--html FILE"),
        (["replay", "good.json"], "good.json has no failure"),
        (["replay", "good.json", "--failure", "4"], "good.json has no failure number 4"),
        (["run", "--target", "nobody:knows"], "cannot load target 'nobody:knows'"),
    ],
)
def test_a_wrong_call_ends_with_1_and_says_what_is_wrong(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_reports([report_of(passing())], {"json": Path("good.json")})
    Path("other.json").write_text("{}")
    Path("text.json").write_text("no JSON")
    assert main(arguments) == 1
    assert told in capsys.readouterr().err
