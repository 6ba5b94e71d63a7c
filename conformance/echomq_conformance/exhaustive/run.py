"""The exhaustive tier on a target: a tour of each small world, a sample of each large one."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
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
    "quick": (("lives", 4.0), ("one", 4.0), ("three", 2.0), ("lossy", 2.0)),
    "standard": (
        ("lives", 10.0),
        ("one", 12.0),
        ("two", 12.0),
        ("three", 4.0),
        ("lossy", 4.0),
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
"""The worlds of each budget, with the most seconds that a walk through one may take: what is not done
by then is a seeded sample, and its fraction is told. `long` finishes `one` and `two` on any store."""


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
    shrink_s: float = 20.0,
    progress: Callable[[int, int | None], None] = lambda done, pairs: None,
) -> ExhaustiveRun:
    """Walk through one world on an opened target until every step was performed and compared, a
    step went astray, or the time is up: then what was done is a sample, drawn by the seed, of the
    stated fraction. Verbs of profiles that the target does not claim are left out of the world.
    For a shorter script of a fault it takes up to `shrink_s` more.

    `progress(done, pairs)` is called at the start of each walk.
    """
    offered = world(world_name).claimed(harness.target.claims)
    if offered.small:
        graph = _graph(offered)
        return _Tourist(harness, graph, seed, seconds, shrink_s, progress).run()
    return _rambling(harness, offered, seed, seconds, shrink_s, progress)


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
        shrink_s: float,
        progress: Callable[[int, int | None], None],
    ) -> None:
        self._harness = harness
        self._graph = graph
        self._seed = seed
        self._seconds = seconds
        self._shrink_s = shrink_s
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
        """Every fresh step that leads on is looked at by itself, with a look before it if one is
        owed; steps that the model says lead nowhere else share a look, and so does the way to
        where something is to be done."""
        choices = self._graph.world.choices
        walk: Walk | None = None
        state = origin = 0
        unseen = list[Choice]()
        try:
            for move in self._tour.moves():
                leads_on = move.fresh and not move.stays
                if walk is not None and unseen and (leads_on or move.starts):
                    walk.look()
                    unseen = []
                    if time.monotonic() > end:
                        return None
                if walk is None or move.starts:
                    walk = Walk(self._harness)
                    self._progress(self._tour.done, self._tour.pairs)
                state = move.state
                if not unseen:
                    origin = state
                unseen.append(choices[move.choice])
                self._moves += 1
                walk.take(choices[move.choice])
                if leads_on:
                    walk.look()
                    unseen = []
            if walk is not None:
                walk.look()
        except Astray as astray:
            assert walk is not None
            last = unseen[-1:]
            scripts = chain(
                self._first(self._shrink_s / 4, ((earlier, last) for earlier in range(state))),
                self._first(self._shrink_s / 4, ((state, last), (origin, unseen))),
                (tuple(walk.script),),
            )
            return _failure(self._harness, astray.violation, scripts, self._moves, self._shrink_s)
        return None

    def _first(
        self, seconds: float, stories: Iterable[tuple[int, Sequence[Choice]]]
    ) -> Iterator[tuple[ScriptStep, ...]]:
        """The scripts of these (state, choices from there), each by a shortest path to the state,
        as far as the time goes. States are numbered by their distance from the empty queue."""
        end = time.monotonic() + seconds
        choices = self._graph.world.choices
        for state, then in stories:
            if time.monotonic() > end:
                return
            way = [choices[choice] for choice in self._graph.path_to(state)]
            script = _script_of([*way, *then])
            if script is not None:
                yield script


def _rambling(
    harness: Harness,
    offered: World,
    seed: int,
    seconds: float,
    shrink_s: float,
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
            script = tuple(walk.script)
            failure = _failure(harness, astray.violation, (script,), moves, shrink_s)
    took = time.monotonic() - started
    return ExhaustiveRun(offered.name, seed, None, None, ramble.done, moves, took, failure)


# --- what went wrong --------------------------------------------------------------------------


def _script_of(choices: Sequence[Choice]) -> tuple[ScriptStep, ...] | None:
    """The concrete steps of choices taken from the empty queue; `None` if one is not offered."""
    model, now_ms = QueueModel(QUEUE), NOW_MS
    script: list[ScriptStep] = []
    for choice in choices:
        steps = choice.steps(model.state.rows, 3_000 * len(script))
        if steps is None:
            return None
        _, now_ms = carry_out(model, steps, now_ms)
        script += steps
    return tuple(script)


def _failure(
    harness: Harness,
    violation: Violation,
    scripts: Iterable[tuple[ScriptStep, ...]],
    moves: int,
    shrink_s: float,
) -> Failure:
    """The failure as the machine tells it, with the shortest script that a bounded search finds."""
    violation, script = _shown_again(harness, violation, scripts, shrink_s / 2)
    opening = (
        f"Harness(find_target({harness.target.address!r}), asynchronous={harness.face == 'async'})"
    )
    return Failure(violation, script, moves, as_python(script, opening, str(violation)))


def _shown_again(
    harness: Harness,
    violation: Violation,
    scripts: Iterable[tuple[ScriptStep, ...]],
    seconds: float,
) -> tuple[Violation, tuple[ScriptStep, ...]]:
    """The first script that breaks the same clause again; else the first short one that breaks any,
    since steps that shared a look may be blamed for one another; else the last one, whole."""
    other: tuple[Violation, tuple[ScriptStep, ...]] | None = None
    last: tuple[ScriptStep, ...] = ()
    for script in scripts:
        last = script
        outcome = replay(harness, script)
        if outcome is None:
            continue
        if outcome[0].clause == violation.clause:
            return shrink(harness, outcome[0], script, seconds)
        if other is None and len(script) <= _SHORT:
            other = outcome[0], script
    return shrink(harness, *other, seconds) if other is not None else (violation, last)


_SHORT = 200
"""A replay of more steps takes so long on a real clock that deadlines may no longer compare."""
