"""A walk whose snapshot raises is a finding of the run, and not an error of the kit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from echomq_conformance import Clock, Target
from echomq_conformance.exhaustive.evidence import exhaustive_evidence
from echomq_conformance.harness import Harness
from echomq_memory import MemoryBackend

from echomq_core import Backend, ops

A = TypeVar("A")


class _Blind(MemoryBackend):
    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Snapshot):
            raise NotImplementedError("VERB-snapshot: not yet")
        return super()._perform(op)


def test_a_snapshot_that_raises_fails_its_clause_and_ends_the_walks() -> None:
    @contextmanager
    def open_it(clock: Clock | None) -> Iterator[Backend]:
        with _Blind(clock) as backend:
            yield backend

    target = Target("blind", "1", frozenset({"core"}), lambda queue, job_id: None, open=open_it)
    with Harness(target, asynchronous=False) as harness:
        found = list(exhaustive_evidence(harness, [("one", 1.0), ("one", 1.0)], 1))
    assert [item.passed for item in found] == [False, None, None]
    assert found[0].clauses == ("VERB-snapshot",)
    assert "RING-1" in found[1].clauses
