"""The tutorial: its excerpts are the example's own lines, and its steps turn green what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from echomq_conformance import Clock, Target
from echomq_conformance.report import Verdict
from echomq_conformance.run import run_conformance

from echomq_core import Backend, ops
from echomq_core.clauses import CLAUSES

from .pages import ROOT, blocks, text

TUTORIAL = "docs/tutorial/write-a-backend.md"
KIT_PAGE = "docs/how-to/run-the-kit.md"
EXAMPLE = ROOT / "examples" / "echomq-sqlite"
BACK_DOORS = {"advance": "CLOCK-1: not yet", "lose_row": "GHOST-1: not yet"}


def _sources() -> str:
    paths = sorted((*EXAMPLE.glob("src/**/*.py"), *EXAMPLE.glob("tests/*.py")))
    return "\n".join(path.read_text("utf-8") for path in paths)


@pytest.mark.parametrize("page", [TUTORIAL, KIT_PAGE])
def test_excerpts_are_lines_of_the_example(page: str) -> None:
    excerpts = blocks(page, "py")
    assert excerpts
    for excerpt in excerpts:
        assert excerpt.strip("\n") in _sources(), excerpt


@dataclass(frozen=True, slots=True)
class Step:
    """A row of the table: what is written, and the clauses that turn green."""

    written: tuple[str, ...]
    green: tuple[str, ...]


def _steps() -> list[Step]:
    rows = re.findall(r"^\| \d+ \|(.*)\|(.*)\|$", text(TUTORIAL), re.MULTILINE)
    names = [tuple(tuple(re.findall(r"`([^`]+)`", cell)) for cell in row) for row in rows]
    return [Step(*row) for row in names]


STEPS = _steps()


@cache
def _module(name: str) -> ModuleType:
    invalidate_caches()
    return import_module(f"echomq_sqlite.{name}")


@pytest.fixture(autouse=True)
def _example_on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE / "src"))


def _unfinished(written: set[str]) -> Target:
    """The example as it is after a step: what is not written yet raises, as `new` leaves it."""
    whole: Target = _module("target").make_target()
    backend: Any = _module("backend").SqliteBackend

    class Unfinished(backend):  # type: ignore[misc]  # the example is not on the type checker's path
        def _perform(self, op: ops.Op[Any]) -> Any:
            if op.verb not in written and op.verb in _CORE:
                if self._closed:
                    return super()._perform(op)  # the scaffold refuses once closed
                raise NotImplementedError(f"{_clause_of(op.verb)}: not yet")
            return super()._perform(op)

    @contextmanager
    def open_it(clock: Clock | None) -> Iterator[Backend]:
        assert whole.open is not None
        with whole.open(clock), Unfinished(_path_of(whole)) as opened:
            yield opened

    doors = {name: _not_yet(told) for name, told in BACK_DOORS.items() if name not in written}
    changes: dict[str, Any] = {"claims": frozenset({"core"}), "open": open_it, **doors}
    return replace(whole, **changes)


def _path_of(whole: Target) -> str:
    assert whole.peer is not None
    (path,) = whole.peer().args  # type: ignore[attr-defined]  # a partial of the backend's path
    return str(path)


def _not_yet(told: str) -> Any:
    def door(*_: object) -> None:
        raise NotImplementedError(told)

    return door


_CORE = {name for step in STEPS for name in step.written} - set(BACK_DOORS)


def test_the_steps_write_every_core_verb_once() -> None:
    from echomq_conformance.profiles import VERB_PROFILES

    written = [name for step in STEPS for name in step.written]
    core = [verb for verb, profile in VERB_PROFILES.items() if profile == "core"]
    assert sorted(written) == sorted([*core, *BACK_DOORS])


def test_the_steps_turn_every_core_clause_green() -> None:
    """All that a backend alone can show: OPEN-1 is shown by tests of the project."""
    green = [clause for step in STEPS for clause in step.green]
    core = [name for name, clause in CLAUSES.items() if clause.profile == "core"]
    assert sorted(green) == sorted(set(core) - {"OPEN-1"})


@pytest.mark.parametrize("number", range(len(STEPS)))
def test_a_step_leaves_red_what_is_missing_and_turns_green_what_the_table_says(
    number: int,
) -> None:
    written = {name for step in STEPS[: number + 1] for name in step.written}
    report = run_conformance(_unfinished(written), budget="quick")
    failed = {item.clause for item in report.clauses if item.verdict is Verdict.FAILED}
    passed = {item.clause for item in report.clauses if item.verdict is Verdict.PASSED}
    missing = {_clause_of(verb) for verb in _CORE - written}
    assert failed <= missing
    assert bool(failed) is bool(missing)
    assert passed >= {clause for step in STEPS[: number + 1] for clause in step.green}
    assert passed.isdisjoint(missing)


def _clause_of(verb: str) -> str:
    return "VERB-job" if verb == "depth" else f"VERB-{verb}"


def test_the_example_lives_where_the_page_says() -> None:
    assert (ROOT / Path(TUTORIAL).parent / "../../examples/echomq-sqlite/README.md").resolve() == (
        EXAMPLE / "README.md"
    )
