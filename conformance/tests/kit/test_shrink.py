"""Shrinking ends when there is nothing left to leave out."""

from __future__ import annotations

import pytest
from echomq_conformance import shrink as module
from echomq_conformance.harness import Harness
from echomq_conformance.predicates import Violation
from echomq_conformance.targets import memory


def test_a_fault_before_the_first_step_is_replayed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    violation = Violation("VERB-enqueue", "enqueue", "an answer", "an error")
    replays = 0

    def replay(*_: object) -> tuple[Violation, tuple[()]]:
        nonlocal replays
        replays += 1
        return violation, ()

    monkeypatch.setattr(module, "replay", replay)
    with Harness(memory(), asynchronous=False) as harness:
        assert module.shrink(harness, violation, (), seconds=0.2) == (violation, ())
    assert replays == 1
