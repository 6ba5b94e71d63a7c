"""The sequential machine: Hypothesis draws verbs, oracle and target carry them out in lockstep.

The first failing example is kept as a script of concrete steps, shrunk by leaving steps out, and
printed as a program: it replays on any target and does not depend on Hypothesis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import ClassVar, TypeVar

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis import strategies as st
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from .coverage import Coverage
from .game import Draw, Game
from .harness import Harness
from .lockstep import Divergence, Lockstep, Unclaimed
from .moves import MOVES
from .predicates import Violation
from .scenes import SCENES
from .script import ScriptStep, as_python
from .shrink import shrink
from .stage import Stage
from .touring import tour

__all__ = ["Failure", "MachineRun", "run_machine"]

T = TypeVar("T")

SCENE_PERCENT = 10
"""How often a step that may be a scene is one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong, and the script that shows it. `program` is that script as Python."""

    violation: Violation
    script: tuple[ScriptStep, ...]
    steps_found: int
    program: str = ""


@dataclass(slots=True)
class MachineRun:
    """The outcome of a machine run: its coverage, and the failure if there was one."""

    coverage: Coverage = field(default_factory=Coverage)
    failure: Failure | None = None


class _Choices:
    """Choices drawn from Hypothesis."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def one(self, options: Sequence[T]) -> T:
        if len(options) == 1:
            return options[0]
        return options[self._data.draw(_BELOW[len(options)])]

    def chance(self, percent: int) -> bool:
        return self._data.draw(_PERCENT) < percent


_PERCENT = st.integers(0, 99)
_BELOW = {count: st.integers(0, count - 1) for count in range(2, 80)}


class _Machine(RuleBasedStateMachine):
    """One example. The class attributes are set by `run_machine`."""

    harness: ClassVar[Harness]
    run: ClassVar[MachineRun]
    progress: ClassVar[Callable[[Coverage], None]]

    def __init__(self) -> None:
        super().__init__()
        self._broken = False
        try:
            self._lockstep = Lockstep(self.harness, self.run.coverage)
        except Divergence as divergence:
            self.run.failure = Failure(divergence.violation, (), 0)
            raise
        self._game = Game(self._lockstep)

    @rule(data=st.data())
    def move(self, data: st.DataObject) -> None:
        """One verb, mostly on the first queue."""
        self._play(data, self._move)

    @rule(data=st.data())
    def move_or_scene(self, data: st.DataObject) -> None:
        """One verb, or now and then a directed scene on the second queue."""
        self._play(
            data, lambda draw: self._scene(draw) if draw.chance(SCENE_PERCENT) else self._move(draw)
        )

    def _move(self, draw: Draw) -> None:
        draw.one(MOVES)(self._game, draw.one(("a", "a", "a", "b")))

    def _scene(self, draw: Draw) -> None:
        draw.one(SCENES)(Stage(self._game, "b"))

    def _play(self, data: st.DataObject, play: Callable[[Draw], None]) -> None:
        if self._game.spent:
            return
        draw = _Choices(data)
        self._game.draw = draw
        self._broken = True
        try:
            with suppress(Unclaimed):
                play(draw)
        except Divergence as divergence:
            self._keep(divergence)
            raise
        self._broken = False

    def _keep(self, divergence: Divergence) -> None:
        if self.run.failure is None:
            script = tuple(self._lockstep.script)
            self.run.failure = Failure(divergence.violation, script, len(script))

    def teardown(self) -> None:
        if self._broken:
            return
        try:
            self._lockstep.finish()
        except Divergence as divergence:
            self._keep(divergence)
            raise
        type(self).progress(self.run.coverage)


def run_machine(
    harness: Harness,
    *,
    examples: int,
    steps: int,
    seed_number: int,
    tours: int = 0,
    shrink_s: float = 20.0,
    progress: Callable[[Coverage], None] = lambda _: None,
) -> MachineRun:
    """Tour the scenes `tours` times, then play `examples` of up to `steps` steps; stop at the first
    fault and shrink it."""
    run = MachineRun()
    found = tour(harness, run.coverage, rounds=tours, seed_number=seed_number)
    if found is not None:
        run.failure = _shortest(harness, Failure(*found, len(found[1])), shrink_s)
        return run
    machine = type(
        "Machine",
        (_Machine,),
        {"harness": harness, "run": run, "progress": staticmethod(progress)},
    )
    options = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(seed(seed_number)(machine), settings=options)
    except (Divergence, FlakyFailure):
        if run.failure is None:
            raise
    if run.failure is not None:
        run.failure = _shortest(harness, run.failure, shrink_s)
    return run


def _shortest(harness: Harness, failure: Failure, seconds: float) -> Failure:
    """The failure with the fewest steps that a bounded search finds."""
    violation, script = shrink(harness, failure.violation, failure.script, seconds)
    face = harness.face == "async"
    program = as_python(
        script,
        f"Harness(find_target({harness.target.address!r}), asynchronous={face})",
        str(violation),
    )
    return Failure(violation, script, failure.steps_found, program)
