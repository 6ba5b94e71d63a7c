"""Carrying out scenarios on a target."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echomq_core import EchoMQError, NewJob, mint_job_id

from .harness import Harness
from .ledger import Ledger
from .matching import mismatch, payload_bytes, plain, snapshot_mismatch
from .predicates import (
    Violation,
    ring_1_exactly_the_serviceable_lanes,
    state_1_each_row_stands_once,
)
from .scenario import Scenario

__all__ = ["ScenarioFailure", "play_scenario"]

_DEFAULTS: dict[str, dict[str, Any]] = {
    "enqueue": {"payload": ""},
    "claim": {"lease_ms": 60_000},
    "claim_many": {"lease_ms": 60_000},
    "wclaim": {"lease_ms": 60_000},
    "bclaim": {"lease_ms": 60_000},
    "extend": {"lease_ms": 60_000},
    "extend_many": {"lease_ms": 60_000},
    "promote": {"limit": 100},
    "reap": {"limit": 100},
    "reap_group": {"limit": 100},
    "retry": {"delay_ms": 0, "max_attempts": 100, "error": "failed"},
}
"""What a step may leave out; `scenarios/README.md` lists the same."""


class ScenarioFailure(AssertionError):
    """A target did not do what a scenario expects. The message begins with the clause."""


def play_scenario(harness: Harness, scenario: Scenario) -> None:
    """Carry out one scenario on a fresh queue. Raises `ScenarioFailure` at the first difference."""
    ids = {name: mint_job_id() for name in scenario.ids}
    queue = harness.fresh_queue()
    start_ms = harness.now_ms(queue)
    for index, step in enumerate(scenario.steps):
        clause = step.get("clause", scenario.clauses[0])
        found = _play(harness, queue, _resolved(step, ids, start_ms))
        if found is None and "lose_row" not in step:
            breach = _unsound(harness, queue)
            if breach is not None:
                clause, found = breach.clause, str(breach)
        if found is not None:
            shown = {key: value for key, value in step.items() if key != "clause"}
            raise ScenarioFailure(
                f"{clause}: scenario {scenario.name!r}, step {index} {shown}: {found}"
            )


def _resolved(value: Any, ids: Mapping[str, str], start_ms: int) -> Any:
    """A step with its placeholders replaced, and `{"from_start": ms}` made a time."""
    if isinstance(value, str):
        return ids.get(value, value)
    if isinstance(value, Mapping):
        if set(value) == {"from_start"}:
            return start_ms + value["from_start"]
        return {ids.get(key, key): _resolved(part, ids, start_ms) for key, part in value.items()}
    if isinstance(value, list):
        return [_resolved(part, ids, start_ms) for part in value]
    return value


def _play(harness: Harness, queue: str, step: Mapping[str, Any]) -> str | None:
    if "advance_ms" in step:
        harness.advance([queue], step["advance_ms"])
        return None
    if "lose_row" in step:
        harness.lose_row(queue, step["lose_row"])
        return None
    if "see" in step:
        return snapshot_mismatch(step["see"], harness.snapshot(queue))
    for _ in range(step.get("times", 1)):
        found = _call(harness, queue, step)
        if found is not None:
            return found
    return None


def _call(harness: Harness, queue: str, step: Mapping[str, Any]) -> str | None:
    verb = step["do"]
    given = dict(_DEFAULTS.get(verb, {}))
    given |= {
        name: value
        for name, value in step.items()
        if name not in ("do", "expect", "raises", "times", "clause")
    }
    try:
        answer = getattr(harness.backend, verb)(**({"queue": queue} | _arguments(given)))
    except EchoMQError as error:
        return _error_mismatch(step.get("raises"), error)
    if "raises" in step:
        return f"expected {step['raises']['type']}, got the answer {answer!r}"
    now_ms = harness.now_ms(queue)
    return mismatch(step["expect"], plain(answer, now_ms))


def _arguments(given: dict[str, Any]) -> dict[str, Any]:
    if "payload" in given:
        given["payload"] = payload_bytes(given["payload"])
    if "items" in given:
        items = []
        for item in given["items"]:
            spread = [
                NewJob(
                    **_arguments({"payload": ""} | {k: v for k, v in item.items() if k != "times"})
                )
                for _ in range(item.get("times", 1))
            ]
            items += spread
        given["items"] = items
    if "pairs" in given:
        given["pairs"] = [tuple(pair) for pair in given["pairs"]]
    return given


def _error_mismatch(expected: Mapping[str, Any] | None, error: EchoMQError) -> str | None:
    if expected is None:
        return f"expected an answer, got {error!r}"
    if type(error).__name__ != expected["type"]:
        return f"expected {expected['type']}, got {error!r}"
    for name, want in expected.items():
        if name != "type" and getattr(error, name, None) != want:
            return f"expected {name} {want!r}, got {getattr(error, name, None)!r}"
    return None


def _unsound(harness: Harness, queue: str) -> Violation | None:
    """A breach of STATE-1 or RING-1, whatever the scenario itself looks at."""
    snapshot, ledger = harness.snapshot(queue), Ledger()
    for predicate in (state_1_each_row_stands_once, ring_1_exactly_the_serviceable_lanes):
        for violation in predicate(snapshot, ledger):
            return violation
    return None
