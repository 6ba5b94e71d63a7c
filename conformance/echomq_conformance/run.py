"""One run: scenarios, named checks, the machine and small worlds, on every face of a target."""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version

from echomq_core.clauses import CLAUSES

from .breaches import breach_in, breach_of
from .checks import CHECKS, Bench, Check
from .coverage import Coverage
from .crowds import crowd_evidence
from .exhaustive import PLANS, exhaustive_evidence
from .features import features_of
from .findings import Budget as CrowdBudget
from .harness import Harness
from .machine import MachineRun, run_machine
from .playing import play_scenario
from .profiles import VERB_PROFILES
from .report import Evidence, MachineReport, Report, judge
from .scenario import load_scenarios
from .scenes import SCENES
from .script_data import encode_script
from .showing import shown
from .skipping import skipped_by
from .target import PROFILES, Target, TargetError

__all__ = [
    "BUDGETS",
    "DEFAULT_SEED",
    "Budget",
    "machine_clauses",
    "run_conformance",
    "say_on_stderr",
]

DEFAULT_SEED = 20_240_101


@dataclass(frozen=True, slots=True)
class Budget:
    """How much the machine plays: random examples, steps in each, tours of all scenes before (the
    standard 20 are about 700 examples more), and seconds for shrinking a fault; `worlds`: which
    small worlds are walked through, and for how many seconds at most; `crowds`: the budget of
    fairness, concurrency and death, `None` for none."""

    examples: int
    steps: int
    tours: int
    shrink_s: float = 20.0
    worlds: tuple[tuple[str, float], ...] = ()
    crowds: CrowdBudget | None = None


BUDGETS = {
    "quick": Budget(60, 40, 6, worlds=PLANS["quick"], crowds="quick"),
    "standard": Budget(150, 50, 20, worlds=PLANS["standard"], crowds="standard"),
    "long": Budget(10_000, 50, 100, worlds=PLANS["long"], crowds="long"),
}

_MACHINE_CLAUSES = (
    "STATE-1",
    "STATE-2",
    "GHOST-1",
    "BOOK-1",
    "BOOK-2",
    "RING-1",
    "RING-2",
    "RING-3",
    "CLOCK-1",
    "TOKEN-1",
    "TOKEN-2",
    "FIELD-1",
    "KEYS-1",
    "KEYS-4",
    "KEYS-5",
    "KEYS-6",
    "ERR-never",
    "ANSWER-values",
    "VERB-turn",
    "VERB-weights",
    "VERB-bulk",
    "VERB-lanes",
    "VERB-queue-pause",
    "VERB-reads",
    "VERB-job",
    "VERB-snapshot",
    "ANSWER-changed",
    "PAGE-1",
    "WAKE-1",
    "WAKE-2",
    "WAKE-4",
)
"""What a machine run to its end speaks for, besides the clause of each verb that it called."""

Progress = Callable[[str], None]


def machine_clauses(verbs: Iterable[str] = tuple(VERB_PROFILES)) -> tuple[str, ...]:
    """The clauses that a machine run speaks for when it called these verbs."""
    named = dict.fromkeys((*_MACHINE_CLAUSES, *(f"VERB-{verb}" for verb in verbs)))
    return tuple(clause for clause in named if clause in CLAUSES and clause != "VERB-check")


def run_conformance(
    target: Target,
    *,
    profiles: Iterable[str] | None = None,
    seed: int | None = None,
    budget: str | Budget = "standard",
    progress: Progress = lambda _: None,
) -> Report:
    """Judge a target by what it claims (or by fewer `profiles`). Never raises for its faults.

    Raises `TargetError` when the target cannot be opened, or a profile or budget is unknown.
    """
    allowed = _budget(budget)
    narrowed = tuple(profiles or ())
    if narrowed:
        target = _narrowed(target, narrowed)
    report = Report(
        target=target.name,
        version=target.version,
        server="unknown",
        claims=tuple(name for name in PROFILES if name in target.claims),
        budget=budget if isinstance(budget, str) else str(budget),
        seed=DEFAULT_SEED if seed is None else seed,
        kit=_kit_version(),
        python=platform.python_version(),
        client=target.client,
        address=target.address,
        profiles=narrowed,
    )
    started = time.monotonic()
    unreached: dict[str, list[str]] = {}
    faces = [face for face, opener in ((False, target.open), (True, target.open_async)) if opener]
    for asynchronous in faces:
        try:
            harness = Harness(target, asynchronous=asynchronous).__enter__()
        except Exception as error:
            raise TargetError(f"{target.name} could not be opened: {error!r}") from error
        with harness:
            unreached |= _run_face(harness, report, allowed, progress)
    if allowed.crowds is not None:
        report.evidence += crowd_evidence(target, report.seed, allowed.crowds, progress=progress)
    report.seconds = time.monotonic() - started
    report.finished = datetime.now(UTC).isoformat(timespec="seconds")
    report.skipped = list(skipped_by(target, report.evidence))
    report.clauses = judge(report, unreached)
    return report


def _budget(budget: str | Budget) -> Budget:
    if isinstance(budget, Budget):
        return budget
    if budget not in BUDGETS:
        raise TargetError(f"budget {budget!r}; there are {', '.join(BUDGETS)}")
    return BUDGETS[budget]


def _narrowed(target: Target, profiles: Iterable[str]) -> Target:
    asked = frozenset(profiles) | {"core"}
    if not asked <= target.claims:
        raise TargetError(f"{target.name} does not claim {sorted(asked - target.claims)}")
    return replace(target, claims=asked)


def _run_face(
    harness: Harness, report: Report, budget: Budget, progress: Progress
) -> dict[str, list[str]]:
    claims = harness.target.claims
    report.server = _server(harness)
    report.features = features_of(harness)
    scenarios = [scenario for scenario in load_scenarios() if scenario.profiles <= claims]
    checks = sorted(
        (check for check in CHECKS if check.profiles <= _usable(harness)),
        key=lambda check: check.last,
    )
    for scenario in scenarios:
        report.evidence.append(
            shown(
                "scenario",
                scenario.name,
                scenario.clauses,
                lambda scenario=scenario: play_scenario(harness, scenario),  # type: ignore[misc]
                face=harness.face,
                script=scenario.steps,
            )
        )
    progress(f"{len(scenarios)} scenarios done")
    before_last = [check for check in checks if not check.last]
    for check in before_last:
        report.evidence.append(_checked(harness, check))
    progress(f"{len(before_last)} checks done")
    run = _play_machine(harness, report, budget, progress)
    report.evidence += exhaustive_evidence(
        harness, budget.worlds, report.seed, shrink_s=budget.shrink_s, progress=progress
    )
    for check in checks[len(before_last) :]:
        report.evidence.append(_checked(harness, check))
    return {} if run is None or run.failure is not None else run.coverage.unreached(claims)


def _checked(harness: Harness, check: Check) -> Evidence:
    return shown(
        "check", check.name, check.clauses, lambda: check.run(Bench(harness)), face=harness.face
    )


def _usable(harness: Harness) -> frozenset[str]:
    """The profiles that this face can be checked for: `async` on the async face alone."""
    claims = harness.target.claims
    without: set[str] = set() if harness.face == "async" else {"async"}
    if harness.target.probe is None:
        without.add("wire")
    return claims - without


def _play_machine(
    harness: Harness, report: Report, budget: Budget, progress: Progress
) -> MachineRun | None:
    said = time.monotonic()
    expected = budget.examples + budget.tours * len(SCENES)

    def tell(coverage: Coverage) -> None:
        nonlocal said
        if time.monotonic() - said >= 5:
            said = time.monotonic()
            played, steps = coverage.examples, coverage.steps
            progress(f"machine: {played} examples of about {expected}, {steps} steps")

    name = f"machine ({harness.face})"
    try:
        run = run_machine(
            harness,
            examples=budget.examples,
            steps=budget.steps,
            seed_number=report.seed,
            tours=budget.tours,
            shrink_s=budget.shrink_s,
            progress=tell,
        )
    except Exception as error:  # noqa: BLE001 - a fault of the target is a finding
        message = f"STATE-2: the machine could not go on: {error!r}"
        report.evidence.append(
            Evidence(
                "machine",
                name,
                ("STATE-2",),
                False,
                message,
                face=harness.face,
                breach=breach_in(message, "STATE-2"),
            )
        )
        rest = tuple(
            clause
            for clause in machine_clauses()
            if clause != "STATE-2" and CLAUSES[clause].profile in harness.target.claims
        )
        report.evidence.append(
            Evidence("machine", name, rest, None, "could not go on", face=harness.face)
        )
        return None
    coverage = run.coverage
    report.machines.append(
        MachineReport(
            harness.face, coverage.examples, coverage.steps, coverage.table(harness.target.claims)
        )
    )
    spoken_for = tuple(
        clause
        for clause in machine_clauses(coverage.verbs)
        if CLAUSES[clause].profile in harness.target.claims
    )
    if run.failure is None:
        told = f"{coverage.examples} examples, {coverage.steps} steps"
        report.evidence.append(Evidence("machine", name, spoken_for, True, told, face=harness.face))
    else:
        violation = run.failure.violation
        report.evidence.append(
            Evidence(
                "machine",
                name,
                (violation.clause,),
                False,
                str(violation),
                run.failure.program,
                harness.face,
                breach_of(violation),
                encode_script(run.failure.script),
            )
        )
        rest = tuple(clause for clause in spoken_for if clause != violation.clause)
        stopped = f"stopped at a fault after {coverage.examples} examples"
        report.evidence.append(Evidence("machine", name, rest, None, stopped, face=harness.face))
    progress(f"machine: {coverage.examples} examples, {coverage.steps} steps")
    return run


def _server(harness: Harness) -> str:
    try:
        info = harness.backend.check()
    except Exception as error:  # noqa: BLE001 - a fault of the target is a finding
        return f"check answered {error!r}"
    return f"{info.product} {info.version}"


def _kit_version() -> str:
    try:
        return version("echomq")
    except PackageNotFoundError:
        return "source tree"


def say_on_stderr(name: str) -> Progress:
    """Progress lines of one target."""

    def say(line: str) -> None:
        print(f"[{name}] {line}", file=sys.stderr, flush=True)

    return say
