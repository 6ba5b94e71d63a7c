"""A backend that is being written: each missing verb is named, and nothing passes by default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
from echomq_conformance import Clock, Target
from echomq_conformance.report import Report, Verdict
from echomq_conformance.run import run_conformance
from echomq_memory import MemoryBackend, Store

from echomq_core import Backend, ops

A = TypeVar("A")


class _Unfinished(MemoryBackend):
    """Everything but the sweeps."""

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Promote):
            raise NotImplementedError("VERB-promote: due jobs to their lanes")
        if isinstance(op, ops.Reap):
            raise NotImplementedError("some day")
        return super()._perform(op)


def _report(face: type[MemoryBackend], advance: Callable[[str, int], None] | None = None) -> Report:
    stores: list[Store] = []

    @contextmanager
    def open_it(clock: Clock | None) -> Iterator[Backend]:
        stores.append(Store(clock))
        with face(store=stores[-1]) as backend:
            yield backend

    def lose_row(queue: str, job_id: str) -> None:
        stores[-1].lose_row(queue, job_id)

    claims = frozenset({"core"})
    target = Target("unfinished", "1", claims, lose_row, open=open_it, advance=advance)
    return run_conformance(target, budget="quick")


@pytest.fixture(scope="module")
def without_sweeps() -> Report:
    return _report(_Unfinished)


@pytest.fixture(scope="module")
def without_ageing() -> Report:
    def advance(queue: str, ms: int) -> None:
        raise NotImplementedError("CLOCK-1: not yet")

    return _report(MemoryBackend, advance)


def _verdict(report: Report, clause: str) -> Verdict:
    return next(found.verdict for found in report.clauses if found.clause == clause)


def test_a_missing_verb_is_blamed_by_the_clause_in_its_error(without_sweeps: Report) -> None:
    told = [item for item in without_sweeps.failures if "due jobs to their lanes" in item.message]
    assert told
    for item in told:
        assert item.clauses == ("VERB-promote",)
        assert item.message.startswith("VERB-promote: ")


def test_an_error_without_a_clause_is_blamed_on_what_the_scenario_shows(
    without_sweeps: Report,
) -> None:
    told = [item for item in without_sweeps.failures if "some day" in item.message]
    assert told
    assert all(item.message.startswith(f"{item.clauses[0]}: ") for item in told)


def test_clauses_that_the_machine_was_to_show_are_partial_when_it_cannot_go_on(
    without_ageing: Report,
) -> None:
    """Scenarios alone are not enough for them; a clause that needs no machine passes."""
    assert _verdict(without_ageing, "STATE-2") is Verdict.FAILED
    assert _verdict(without_ageing, "RING-1") is Verdict.PARTIAL
    assert _verdict(without_ageing, "TOKEN-1") is Verdict.PARTIAL
    assert _verdict(without_ageing, "ARG-numbers") is Verdict.PASSED


def test_fairness_that_cannot_go_on_blames_the_missing_verb_and_shows_nothing() -> None:
    class WithoutComplete(MemoryBackend):
        def _perform(self, op: ops.Op[A]) -> A:
            if isinstance(op, ops.Complete):
                raise NotImplementedError("VERB-complete: the row goes")
            return super()._perform(op)

    report = _report(WithoutComplete)
    (broken,) = [item for item in report.failures if item.name == "fairness"]
    assert broken.clauses == ("VERB-complete",)
    assert _verdict(report, "RING-4") is Verdict.PARTIAL
