"""RING-4 on traces: by hand, on the reference backends, and on backends that are unfair."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from echomq_conformance import targets
from echomq_conformance.fairness import run_fairness
from echomq_conformance.predicates import Violation
from echomq_conformance.rota import Rota
from echomq_memory import state, turns

from echomq_core import Empty, EmptyReason, Enqueued, Job, encode_id, ops

Q = "q"
SEED = 5
IDS = [encode_id("JOB", number) for number in range(1, 10)]


def _rota(*groups: str) -> Rota:
    """One job for each, in this order, with rising ids."""
    rota = Rota()
    for group, job_id in zip(groups, IDS, strict=False):
        rota.saw(ops.Enqueue(Q, group, b"", job_id), Enqueued(job_id, False))
    return rota


def _job(place: int, group: str) -> Job:
    return Job(IDS[place], group, b"", 1, 1, 0)


def _claim(rota: Rota, place: int, group: str) -> list[Violation]:
    return rota.saw(ops.Claim(Q, 1), _job(place, group))


def test_ring_4_turn_about_is_fair() -> None:
    """A lane of three beside a lane of one: one turn each, then the rest."""
    rota = _rota("g", "g", "g", "h")
    found = [
        _claim(rota, 0, "g"),
        _claim(rota, 3, "h"),
        _claim(rota, 1, "g"),
        _claim(rota, 2, "g"),
    ]
    assert found == [[], [], [], []]
    assert rota.longest_wait == 2


def test_ring_4_a_second_turn_before_a_waiting_lane_is_unfair() -> None:
    """h waits since the start; g is served twice."""
    rota = _rota("g", "g", "h")
    assert _claim(rota, 0, "g") == []
    (violation,) = _claim(rota, 1, "g")
    assert violation.clause == "RING-4"
    assert "'h'" in violation.expected
    assert violation.found == "'g' had turn 1 and now turn 2"


def test_ring_4_a_parked_lane_does_not_wait() -> None:
    """While h is paused g may be served again and again; from its return h waits anew."""
    rota = _rota("g", "g", "g", "g", "h")
    rota.saw(ops.Pause(Q, "h"), True)
    assert _claim(rota, 0, "g") == []
    assert _claim(rota, 1, "g") == []
    rota.saw(ops.Resume(Q, "h"), True)
    assert _claim(rota, 2, "g") == []
    (violation,) = _claim(rota, 3, "g")
    assert violation.clause == "RING-4"


def test_ring_4_a_lane_waits_from_its_last_turn() -> None:
    """g had its turn after h's; so h is next, not k twice."""
    rota = _rota("h", "h", "k", "k", "k")
    assert _claim(rota, 0, "h") == []
    assert _claim(rota, 2, "k") == []
    (violation,) = _claim(rota, 3, "k")
    assert violation.clause == "RING-4"


def test_book_2_a_turn_above_the_headroom() -> None:
    """A limit of 1 is one job, whatever the weight."""
    rota = _rota("g", "g")
    rota.saw(ops.Weight(Q, "g", 5), True)
    rota.saw(ops.Limit(Q, "g", 1), True)
    (violation,) = rota.saw(ops.WClaim(Q, 1), [_job(0, "g"), _job(1, "g")])
    assert violation.clause == "BOOK-2"


def test_verb_turn_a_turn_that_serves_too_few() -> None:
    """A batch takes all that it may."""
    rota = _rota("g", "g", "g")
    (violation,) = rota.saw(ops.BClaim(Q, 1, 3), [_job(0, "g"), _job(1, "g")])
    assert (violation.clause, violation.expected) == ("VERB-turn", "3 jobs")


def test_ring_1_nothing_served_though_a_lane_waits() -> None:
    """An empty answer is right only when no lane is serviceable."""
    empty = Empty(EmptyReason.RING_EMPTY)
    (violation,) = _rota("g").saw(ops.Claim(Q, 1), empty)
    assert violation.clause == "RING-1"
    assert _rota().saw(ops.Claim(Q, 1), empty) == []


@pytest.mark.parametrize("target", [targets.memory, targets.memory_async, targets.valkey])
def test_ring_4_the_reference_backends_are_fair(target: Callable[[], Any]) -> None:
    """All four claims, floods and churn."""
    found = run_fairness(target(), seed=SEED)
    assert found.outcome == "passed", str(found)
    assert found.statistics["turns"] > 1_000


def _no_turn(self: Any, jobs: int | None) -> None:
    """The head is served and stays the head."""
    q = self._q
    group = next(iter(q.ring))
    self._serve(group, q.share(group) if jobs is None else jobs)
    q.settle(group)


def _longest_lane_first(self: Any, jobs: int | None) -> None:
    q = self._q
    group = max(q.ring, key=lambda name: len(q.lanes[name]))
    q.ring.move_to_end(group)
    self._serve(group, q.share(group) if jobs is None else jobs)
    q.settle(group)


def _joins_at_the_head(self: Any, group: str) -> None:
    if not self.is_serviceable(group):
        self.ring.pop(group, None)
    elif group not in self.ring:
        self.ring[group] = None
        self.ring.move_to_end(group, last=False)
        self.leave_token()


def _one_more(self: Any, group: str) -> int | None:
    limit = self.limits.get(group)
    return None if limit is None else limit + 1


UNFAIR: dict[str, tuple[type, str, Callable[..., Any], str]] = {
    "the ring does not turn": (turns._Claim, "_turn", _no_turn, "RING-4"),
    "the longest lane first": (turns._Claim, "_turn", _longest_lane_first, "RING-4"),
    "lanes join at the head": (state.QueueState, "settle", _joins_at_the_head, "RING-4"),
    "one more than the limit": (state.QueueState, "ceiling", _one_more, "BOOK-2"),
}


@pytest.mark.parametrize(("owner", "name", "wrong", "clause"), UNFAIR.values(), ids=UNFAIR)
def test_ring_4_an_unfair_backend_is_caught(
    monkeypatch: pytest.MonkeyPatch,
    owner: type,
    name: str,
    wrong: Callable[..., Any],
    clause: str,
) -> None:
    """For every claim verb, by the clause that it breaks."""
    monkeypatch.setattr(owner, name, wrong)
    found = run_fairness(targets.memory(), seed=SEED)
    assert found.outcome == "failed"
    assert {violation.clause for violation in found.violations} == {clause}
    assert len(found.violations) == 4
