"""Verdicts, exit codes, first differences, and what a run leaves out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from echomq_conformance import Clock
from echomq_conformance.breaches import breach_in
from echomq_conformance.features import features_of
from echomq_conformance.harness import Harness
from echomq_conformance.profiles import VERB_PROFILES, verbs_of_clause
from echomq_conformance.report import Breach, Evidence, Report, Verdict
from echomq_conformance.reports.verdicts import exit_code, profile_verdicts
from echomq_conformance.run import run_conformance
from echomq_conformance.script import Advance, LoseRow, Perform
from echomq_conformance.script_data import decode_script, encode_script
from echomq_memory import AsyncMemoryBackend, MemoryBackend, Store

from echomq_core import Backend, NewJob, Unsupported, ops
from echomq_core.clauses import CLAUSES

from . import targets
from .made import failed, passing, report_of

STOPPED = Evidence("machine", "machine (sync)", ("RING-1",), None, "stopped early")


def _verdict(report: Report, clause: str) -> Verdict:
    return next(found.verdict for found in report.clauses if found.clause == clause)


@pytest.mark.parametrize(
    ("report", "code", "core"),
    [
        (report_of(passing()), 0, "passed"),
        (report_of(passing(), failed()), 1, "failed"),
        (report_of(passing(), STOPPED), 2, "partial"),
        (report_of(passing(), unreached={"RING-1": ["a branch"]}), 2, "not exercised"),
        (report_of(), 2, "not exercised"),
        (report_of(passing(), failed(), STOPPED), 1, "failed"),
    ],
)
def test_exit_code_and_profile_verdict_follow_the_worst_clause(
    report: Report, code: int, core: str
) -> None:
    assert report.exit_code == code
    assert next(profile_verdicts(report)).verdict == core


@pytest.mark.parametrize(
    ("several", "code"),
    [
        ([report_of(passing())], 0),
        ([report_of(passing()), report_of()], 2),
        ([report_of(), report_of(failed())], 1),
    ],
)
def test_a_failure_of_one_target_outweighs_what_others_left_open(
    several: list[Report], code: int
) -> None:
    assert exit_code(several) == code


def test_a_planned_clause_is_provisional_and_decides_nothing() -> None:
    report = report_of(passing())
    assert _verdict(report, "LOOP-1") is Verdict.PROVISIONAL
    assert report.exit_code == 0


def test_a_verb_that_refuses_is_unsupported_and_its_profile_not_claimed() -> None:
    report = report_of(passing())
    assert _verdict(report, "VERB-drain") is Verdict.UNSUPPORTED
    assert _verdict(report, "VERB-queue-pause") is Verdict.UNSUPPORTED
    assert _verdict(report, "VERB-weights") is Verdict.NOT_CLAIMED


def test_a_clause_of_several_verbs_is_unsupported_only_if_all_refuse() -> None:
    assert _verdict(report_of(passing()), "VERB-lanes") is Verdict.NOT_CLAIMED


def test_every_verb_has_its_clause() -> None:
    described = [verb for clause in CLAUSES for verb in verbs_of_clause(clause)]
    assert sorted(described) == sorted(VERB_PROFILES)


class _CoreFace:
    """The memory backend without most verbs: `pause` refuses, `drain` breaks."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        if VERB_PROFILES.get(name, "core") == "core":
            return getattr(self._backend, name)
        raise AttributeError(name=name)

    def pause(self, queue: str, group: str) -> bool:
        raise Unsupported("pause", "this")

    def drain(self, queue: str, group: str) -> int:
        raise RuntimeError("out of order")


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_verb_that_is_not_there_or_refuses_is_unsupported_and_a_broken_one_unclear(
    asynchronous: bool,
) -> None:
    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Any]:
        with MemoryBackend(store=Store(clock)) as backend:
            yield _CoreFace(backend)

    @asynccontextmanager
    async def opened_async(clock: Clock | None) -> AsyncIterator[Any]:
        yield _CoreFace(AsyncMemoryBackend(store=Store(clock)))  # type: ignore[arg-type]

    target = replace(targets.core_alone(), open=opened, open_async=opened_async)
    with Harness(target, asynchronous=asynchronous) as harness:
        features = features_of(harness)
    assert features.unclear == ("drain",)
    assert features.undeclared == ()
    assert {"pause", "wclaim", "park", "bclaim"} <= set(features.unsupported)


@pytest.fixture(scope="module")
def core_alone() -> Report:
    return run_conformance(targets.core_alone(), budget=targets.SMALL)


def test_verbs_that_work_without_a_claim_are_undeclared_features(core_alone: Report) -> None:
    features = core_alone.features
    assert "claim" in features.supported
    assert {"pause", "enqueue_many", "bclaim", "park", "fsck"} <= set(features.undeclared)
    assert features.unsupported == features.unclear == ()


def test_scenarios_and_checks_of_other_profiles_are_skipped_with_the_reason(
    core_alone: Report,
) -> None:
    reasons = {item.name: item.reason for item in core_alone.skipped}
    assert reasons["bclaim-serves-one-lane-only"] == "needs bulk, which is not claimed"
    ran = {item.name for item in core_alone.evidence}
    assert ran
    assert not ran & set(reasons)


def test_a_claim_that_cannot_be_looked_at_is_not_exercised() -> None:
    report = run_conformance(targets.without_a_probe(), budget=targets.SMALL)
    assert _verdict(report, "WIRE-1") is Verdict.NOT_EXERCISED
    reasons = {item.reason for item in report.skipped}
    assert "needs the target's probe, which is not given" in reasons


@pytest.mark.parametrize(
    ("message", "breach"),
    [
        (
            "RING-2: jobs served by claim: expected ['a'], found ['b']",
            Breach("RING-2", "jobs served by claim", "['a']", "['b']"),
        ),
        (
            "RING-2: scenario 'x', step 3 {'do': 'claim'}: answer.id: expected 1, got 2",
            Breach("RING-2", "scenario 'x', step 3 {'do': 'claim'}: answer.id", "1", "2"),
        ),
        (
            "RING-2: scenario 'x', step 3 {}: expected an answer, got Timeout('expected, got')",
            Breach("RING-2", "scenario 'x', step 3 {}", "an answer", "Timeout('expected, got')"),
        ),
        ("RING-2: two jobs\nof one lane", Breach("RING-2", "two jobs\nof one lane")),
    ],
)
def test_a_message_gives_its_first_difference(message: str, breach: Breach) -> None:
    assert breach_in(message, "RING-2") == breach


def test_a_script_comes_back_from_its_data() -> None:
    script = (
        Perform(ops.Enqueue("a", "g:é", b"\x00\xff", "JOB00000000001", run_at_ms=5)),
        Perform(ops.EnqueueMany("b", (NewJob("g", b"x", "JOB00000000002"),))),
        Perform(ops.CompleteMany("a", (("JOB00000000001", 1),))),
        Advance(1_000),
        LoseRow("a", "JOB00000000001"),
    )
    assert decode_script(encode_script(script)) == script


@pytest.mark.parametrize("step", [{}, {"verb": "fly"}, {"verb": "claim"}, {"advance_ms": "soon"}])
def test_what_is_no_step_is_refused_with_the_step(step: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="no step of a script"):
        decode_script([step])
