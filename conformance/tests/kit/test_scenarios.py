"""The scenario format: what is read, what is refused, and that a wrong expectation is noticed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from echomq_conformance.harness import Harness
from echomq_conformance.playing import ScenarioFailure, play_scenario
from echomq_conformance.scenario import Scenario, ScenarioError, load_scenarios, read_scenarios
from echomq_conformance.targets import memory


@pytest.fixture
def harness() -> Iterator[Harness]:
    with Harness(memory(), asynchronous=False) as opened:
        yield opened


def _scenario(*steps: dict[str, Any], **changes: Any) -> Scenario:
    entry = {"name": "n", "title": "t", "clauses": ["RING-1"], "steps": list(steps)} | changes
    (scenario,) = read_scenarios(json.dumps([entry]), "f.json")
    return scenario


ENQUEUE = {"do": "enqueue", "group": "g", "job_id": "$A", "expect": {"id": "$A"}}
CLAIM = {"do": "claim", "expect": {"id": "$A", "token": 1}}


def test_the_corpus_is_read_and_large_enough() -> None:
    scenarios = load_scenarios()
    assert len(scenarios) >= 60
    cases = {case for scenario in scenarios for case in scenario.cases}
    numbers = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 22, 25, 27, 30, 31, 34)
    assert {f"hazards:{number}" for number in numbers} <= cases


def test_profiles_follow_from_the_verbs() -> None:
    pause = {"do": "pause", "group": "g", "expect": True}
    assert _scenario(ENQUEUE).profiles == {"core"}
    assert _scenario(ENQUEUE, pause).profiles == {"core", "control"}


def test_placeholders_are_ids_in_byte_order(harness: Harness) -> None:
    steps = [ENQUEUE | {"job_id": name, "expect": {"id": name}} for name in ("$C", "$A", "$B2")]
    play_scenario(harness, _scenario(*steps, {"see": {"lanes": {"g": ["$A", "$B2", "$C"]}}}))


WRONG: dict[str, list[dict[str, Any]]] = {
    "another token": [ENQUEUE, {"do": "claim", "expect": {"id": "$A", "token": 2}}],
    "another id": [ENQUEUE, {"do": "claim", "expect": "$B"}],
    "an answer for an error": [{"do": "depth", "group": "", "expect": 0}],
    "an error for an answer": [
        {"do": "depth", "group": "g", "raises": {"type": "InvalidArgument"}}
    ],
    "true for one": [ENQUEUE, {"do": "depth", "group": "g", "expect": True}],
    "another argument": [
        {"do": "depth", "group": "", "raises": {"type": "InvalidArgument", "argument": "queue"}}
    ],
    "a field that is not there": [ENQUEUE | {"expect": {"token": 1}}],
    "a list too short": [ENQUEUE, {"do": "claim_many", "n": 5, "expect": []}],
    "another ring": [ENQUEUE, {"see": {"ring": []}}],
    "another lane": [ENQUEUE, {"see": {"lanes": {}}}],
    "another deadline": [ENQUEUE, CLAIM, {"see": {"active": {"$A": 1}}}],
    "another row": [ENQUEUE, {"see": {"jobs": {"$A": {"state": "active"}}}}],
    "a row that should be gone": [ENQUEUE, {"see": {"jobs": {"$A": None}}}],
    "another payload": [
        ENQUEUE | {"payload": {"hex": "ff"}},
        {"do": "job", "job_id": "$A", "expect": {"payload": {"hex": "fe"}}},
    ],
    "another cursor": [
        ENQUEUE,
        {"do": "ring", "limit": 10, "expect": {"items": ["g"], "cursor": "more"}},
    ],
    "time that did not pass": [
        ENQUEUE,
        CLAIM,
        {"advance_ms": 61_000},
        {"do": "reap", "expect": {"returned": 0}},
    ],
    "a row that is lost": [ENQUEUE, {"lose_row": "$A"}, CLAIM],
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_expectation_fails_and_names_the_clause(harness: Harness, name: str) -> None:
    with pytest.raises(ScenarioFailure, match=r"^RING-1: scenario 'n', step \d"):
        play_scenario(harness, _scenario(*WRONG[name]))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"clauses": ["RING-99"]}, "unknown clauses"),
        ({"clauses": []}, "none"),
        ({"extra": 1}, "unknown \\['extra'\\]"),
        ({"steps": [{"do": "fly", "expect": 1}]}, "unknown verb 'fly'"),
        ({"steps": [{"do": "claim"}]}, "has an expected answer"),
        ({"steps": [{"do": "claim", "see": {}}]}, "exactly one of"),
        ({"steps": [{"do": "claim", "expect": 1, "raises": {}}]}, "not both"),
    ],
)
def test_a_file_that_does_not_keep_to_the_format_says_where(
    changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(ScenarioError, match=told) as caught:
        _scenario(ENQUEUE, **changes)
    assert str(caught.value).startswith("f.json: n")
