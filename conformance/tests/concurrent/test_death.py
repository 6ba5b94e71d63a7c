"""Killed clients: every job comes back once, or the check says which clause broke (LOOP-7)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TypeVar, cast

import pytest
from echomq_conformance import death, targets
from echomq_conformance.death import run_death
from echomq_conformance.doomed import LIVES
from echomq_conformance.target import Clock, Target
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import Backend, CompleteVerdict, ops
from echomq_core.verbs import SyncVerbs

from .split_backends import split_valkey_target

A = TypeVar("A")

SEED = 3


def test_loop_7_jobs_of_killed_clients_come_back() -> None:
    """Every life, killed before each step and in each call, on a real server."""
    found = run_death(targets.valkey(), seed=SEED)
    assert found.outcome == "passed", str(found)
    assert found.statistics["kills"] >= 80
    assert found.statistics["midway"] >= 30


def test_loop_7_a_store_whose_time_nobody_can_move_is_not_exercised() -> None:
    """The clock of this process means nothing to a client in another one."""
    assert run_death(targets.memory(), seed=SEED).outcome == "not exercised"


class LazyValkey(SyncVerbs):
    """Answers a `complete` at once and sends it with the next call: faster, until somebody dies.

    As long as its client lives nobody can tell: whatever is asked next, the complete goes first.
    """

    def __init__(self, url: str) -> None:
        self._backend = ValkeyBackend.from_url(url)
        self._later: ops.Complete | None = None

    def close(self) -> None:
        self._backend.close()

    def _perform(self, op: ops.Op[A]) -> A:
        if self._later is not None:
            self._backend._perform(self._later)
            self._later = None
        if isinstance(op, ops.Complete):
            row = self._backend.job(op.queue, op.job_id)
            if row is not None and (row.state, row.attempts) == ("active", op.token):
                self._later = op
                return cast("A", CompleteVerdict.COMPLETED)
        return self._backend._perform(op)


class KeepsTheLease(ValkeyBackend):
    """Leases that never end: what a dead client held stays held."""

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Claim):
            return cast("A", super()._perform(replace(op, lease_ms=10**12)))
        return super()._perform(op)


@pytest.mark.parametrize(
    ("kind", "clause"), [(LazyValkey, "STATE-2"), (KeepsTheLease.from_url, "LOOP-7")]
)
def test_loop_7_what_only_a_death_shows_is_caught(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, kind: object, clause: str
) -> None:
    """The message names the clause, the life and the step."""
    monkeypatch.setattr(death, "LIVES", LIVES[:1])
    found = run_death(_target(server, kind), seed=SEED)
    assert found.outcome == "failed"
    violation = found.violations[0]
    assert violation.clause == clause
    assert violation.where.startswith("client of life 'claim, complete' killed before step ")


def _target(server: EmbeddedServer, kind: object) -> Target:
    opener = cast("type[LazyValkey]", kind)

    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Backend]:
        with opener(server.url) as backend:
            yield backend

    base = split_valkey_target(server)
    return replace(
        base,
        name=str(kind),
        claims=base.claims - {"control"},
        open=opened,
        peer=lambda: partial(opener, server.url),
    )
