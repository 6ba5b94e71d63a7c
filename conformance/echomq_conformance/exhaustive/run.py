"""The exhaustive tier on a target: a tour of each small world, a sample of each large one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from echomq_memory import QueueModel

from ..harness import Harness
from ..machine import Failure
from ..predicates import Violation
from ..script import ScriptStep, as_python
from ..shrink import replay, shrink
from .canonical import NOW_MS
from .choices import QUEUE, Choice
from .graph import Graph, carry_out, explore
from .ramble import Ramble
from .tour import Tour
from .walk import Astray, Walk
from .worlds import World, world

__all__ = ["PLANS", "ExhaustiveRun", "run_exhaustive"]

PLANS: dict[str, tuple[tuple[str, float], ...]] = {
    "quick": (("lives", 5.0), ("one", 5.0), ("three", 3.0), ("lossy", 3.0)),
    "standard": (
        ("lives", 20.0),
        ("one", 60.0),
        ("two", 20.0),
        ("three", 12.0),
        ("lossy", 12.0),
    ),
    "long": (
        ("lives", 60.0),
        ("one", 600.0),
        ("two", 600.0),
        ("ghosts", 1_800.0),
        ("full", 3_600.0),
        ("three", 600.0),
        ("lossy", 600.0),
    ),
}
"""The worlds of each budget, with the most seconds that a walk through one may take. On 2 cores the
standard ones of the reference backends are done before: only a slow store is sampled."""


@dataclass(frozen=True, slots=True)
class ExhaustiveRun:
    """What was done in one world. `states` and `pairs` (state and step) are `None` for a world too
    large to enumerate; `done`: different pairs performed, each from its true predecessor; `moves`:
    all steps, those on the way to a pair too."""

    world: str
    seed: int
    states: int | None
    pairs: int | None
    done: int
    moves: int
    seconds: float
    failure: Failure | None = None

    @property
    def fraction(self) -> float | None:
        """The share of all pairs that was performed; 1.0 = the whole world."""
        return self.done / self.pairs if self.pairs else None

    def __str__(self) -> str:
        of = f" of {self.pairs} ({self.done / self.pairs:.1%})" if self.pairs else " (sampled)"
        states = f"{self.states} states, " if self.states else ""
        end = f": {self.failure.violation}" if self.failure else ""
        return (
            f"world {self.world}: {states}{self.done}{of} steps in {self.moves} moves,"
            f" {self.seconds:.1f} s{end}"
        )


def run_exhaustive(
    harness: Harness,
    *,
    world_name: str,
    seed: int,
    seconds: float,
    progress: Callable[[int, int | None], None] = lambda done, pairs: None,
) -> ExhaustiveRun:
    """Walk through one world on an opened target until every step was performed and compared, a
    step went astray, or the time is up: then what was done is a sample, drawn by the seed, of the
    stated fraction. Verbs of profiles that the target does not claim are left out of the world.

    `progress(done, pairs)` is called at the start of each walk.
    """
    offered = world(world_name).claimed(harness.target.claims)
    if offered.small:
        graph = _graph(offered)
        return _Tourist(harness, graph, seed, seconds, progress).run()
    return _rambling(harness, offered, seed, seconds, progress)


@lru_cache(maxsize=3)
def _graph(offered: World) -> Graph:
    """The graph of a world, made once for all targets of a process."""
    return explore(offered)


class _Tourist:
    """One tour of a small world."""

    def __init__(
        self,
        harness: Harness,
        graph: Graph,
        seed: int,
        seconds: float,
        progress: Callable[[int, int | None], None],
    ) -> None:
        self._harness = harness
        self._graph = graph
        self._seed = seed
        self._seconds = seconds
        self._progress = progress
        self._tour = Tour(graph, seed=seed)
        self._moves = 0

    def run(self) -> ExhaustiveRun:
        started = time.monotonic()
        failure = self._travel(started + self._seconds)
        return ExhaustiveRun(
            self._graph.world.name,
            self._seed,
            len(self._graph.states),
            self._graph.pairs,
            self._tour.done,
            self._moves,
            time.monotonic() - started,
            failure,
        )

    def _travel(self, end: float) -> Failure | None:
        """Steps that the model says lead nowhere else share one look at the queue, taken before
        the next step that leads on, and so do reads."""
        choices = self._graph.world.choices
        walk: Walk | None = None
        unseen: list[Choice] = []
        state = 0
        try:
            for move in self._tour.moves():
                if move.starts or walk is None:
                    if walk is not None and unseen:
                        walk.look()
                    if time.monotonic() > end:
                        return None
                    walk, unseen = Walk(self._harness), []
                    self._progress(self._tour.done, self._tour.pairs)
                if not move.stays and unseen:
                    walk.look()
                    unseen = []
                    if time.monotonic() > end:
                        return None
                state = move.state
                unseen.append(choices[move.choice])
                self._moves += 1
                walk.take(choices[move.choice])
                if not move.stays:
                    walk.look()
                    unseen = []
            if walk is not None and unseen:
                walk.look()
        except Astray as astray:
            assert walk is not None
            way = [choices[choice] for choice in self._graph.path_to(state)]
            scripts = (_script_of([*way, *unseen]), tuple(walk.script))
            return _failure(self._harness, astray.violation, scripts, self._moves)
        return None


def _rambling(
    harness: Harness,
    offered: World,
    seed: int,
    seconds: float,
    progress: Callable[[int, int | None], None],
) -> ExhaustiveRun:
    """Random walks through a large world."""
    started = time.monotonic()
    ramble = Ramble(offered, Random(seed))
    moves, failure = 0, None
    while failure is None and time.monotonic() - started < seconds:
        progress(ramble.done, None)
        walk = Walk(harness)
        try:
            moves += ramble.along(walk, until=started + seconds)
        except Astray as astray:
            moves += len(walk.script)
            failure = _failure(harness, astray.violation, (tuple(walk.script),), moves)
    took = time.monotonic() - started
    return ExhaustiveRun(offered.name, seed, None, None, ramble.done, moves, took, failure)


# --- what went wrong --------------------------------------------------------------------------


def _script_of(choices: Sequence[Choice]) -> tuple[ScriptStep, ...]:
    """The concrete steps of choices taken from the empty queue."""
    return tuple(_concrete(choices))


def _concrete(choices: Sequence[Choice]) -> Iterator[ScriptStep]:
    model, now_ms = QueueModel(QUEUE), NOW_MS
    for number, choice in enumerate(choices):
        steps = choice.steps(model.state.rows, 3_000 * number)
        assert steps is not None, f"{choice.name} is not offered here"
        _, now_ms = carry_out(model, steps, now_ms)
        yield from steps


def _failure(
    harness: Harness,
    violation: Violation,
    scripts: Sequence[tuple[ScriptStep, ...]],
    moves: int,
) -> Failure:
    """The failure as the machine tells it: the first script that shows it again, as short as a
    bounded search makes it. If none does, the last script, whole: the fault needs its length."""
    script = scripts[-1]
    for candidate in scripts:
        outcome = replay(harness, candidate)
        if outcome is not None and (candidate is not scripts[-1] or len(scripts) == 1):
            violation, script = shrink(harness, outcome[0], candidate)
            break
        if outcome is not None and outcome[0].clause == violation.clause:
            violation, script = shrink(harness, outcome[0], candidate)
            break
    opening = (
        f"Harness(find_target({harness.target.name!r}), asynchronous={harness.face == 'async'})"
    )
    return Failure(violation, script, moves, as_python(script, opening, str(violation)))
