"""Playing a failure of a report again: the script, scenario or check alone, on any target."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import cast, get_args

from .checks import CHECKS, Bench
from .crowds import crowd_evidence
from .findings import Budget
from .harness import Harness
from .playing import play_scenario
from .profiles import VERB_PROFILES
from .report import Evidence, Report
from .scenario import read_scenarios
from .script import Perform
from .script_data import decode_script
from .showing import shown
from .shrink import replay
from .target import Target, TargetError

__all__ = ["replay_failure"]


def replay_failure(report: Report, failure: Evidence, target: Target) -> Evidence:
    """Plays one failure of a report on a target, on the face where it was found if there is one, and
    answers what the target did this time: `passed` when the fault does not show.

    Raises `TargetError` when the target has not what it takes: a face, a profile, or a check that
    this kit does not know.
    """
    if failure.kind == "crowd":
        return _crowd(report, failure, target)
    asynchronous = target.open is None or (failure.face == "async" and bool(target.open_async))
    try:
        harness = Harness(target, asynchronous=asynchronous).__enter__()
    except Exception as error:
        raise TargetError(f"{target.name} could not be opened: {error!r}") from error
    with harness:
        return _PLAYERS.get(failure.kind, _script)(harness, failure)


def _script(harness: Harness, failure: Evidence) -> Evidence:
    if not failure.script:
        raise TargetError(f"{failure.kind} {failure.name} left no script to play")
    script = decode_script(failure.script)
    verbs = {step.op.verb for step in script if isinstance(step, Perform)}
    _demand(harness.target, frozenset(VERB_PROFILES[verb] for verb in verbs))

    def play() -> None:
        found = replay(harness, script)
        assert found is None, str(found[0])

    return shown(failure.kind, failure.name, failure.clauses, play, face=harness.face)


def _scenario(harness: Harness, failure: Evidence) -> Evidence:
    """As the report has it; the kit's own may have changed since."""
    entry = {
        "name": failure.name,
        "title": failure.name,
        "clauses": list(failure.clauses),
        "steps": [dict(step) for step in failure.script],
    }
    scenario = next(read_scenarios(json.dumps([entry]), "the report"))
    _demand(harness.target, scenario.profiles)
    return shown(
        "scenario",
        scenario.name,
        scenario.clauses,
        lambda: play_scenario(harness, scenario),
        face=harness.face,
    )


def _check(harness: Harness, failure: Evidence) -> Evidence:
    check = next((check for check in CHECKS if check.name == failure.name), None)
    if check is None:
        raise TargetError(
            f"this kit has no check {failure.name!r}; another version made the report"
        )
    _demand(harness.target, check.profiles)
    return shown(
        "check", check.name, check.clauses, lambda: check.run(Bench(harness)), face=harness.face
    )


def _crowd(report: Report, failure: Evidence, target: Target) -> Evidence:
    """Schedules do not come back: the same programs run again, and may come out right."""
    budget = cast("Budget", report.budget if report.budget in get_args(Budget) else "quick")
    found = list(crowd_evidence(target, report.seed, budget, only=failure.name))
    if not found:
        raise TargetError(f"{target.name} does not claim what the check {failure.name} needs")
    return min(found, key=lambda item: (item.passed is not False, item.passed is not None))


def _demand(target: Target, profiles: frozenset[str]) -> None:
    missing = sorted(profiles - target.claims)
    if missing:
        raise TargetError(f"{target.name} does not claim {', '.join(missing)}, which this needs")


_PLAYERS: dict[str, Callable[[Harness, Evidence], Evidence]] = {
    "check": _check,
    "scenario": _scenario,
}
"""How each kind is played; all others left a script of steps."""
