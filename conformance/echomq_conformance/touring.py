"""A tour of all directed scenes, before the random machine: no rare branch is left to luck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from random import Random
from typing import TypeVar

from .coverage import Coverage
from .game import Game
from .harness import Harness
from .lockstep import Divergence, Lockstep, Unclaimed
from .predicates import Violation
from .scenes import SCENES, Scene
from .script import ScriptStep
from .stage import Stage

__all__ = ["tour"]

T = TypeVar("T")


class _Dice:
    """Choices of a seeded generator."""

    def __init__(self, seed_number: int) -> None:
        self._random = Random(seed_number)

    def one(self, options: Sequence[T]) -> T:
        return self._random.choice(options)

    def chance(self, percent: int) -> bool:
        return self._random.randrange(100) < percent


def tour(
    harness: Harness, coverage: Coverage, *, rounds: int, seed_number: int
) -> tuple[Violation, tuple[ScriptStep, ...]] | None:
    """Play every scene `rounds` times, each on queues of its own; the first fault, if any."""
    dice = _Dice(seed_number)
    for scene in _scenes(rounds):
        script: list[ScriptStep] = []
        try:
            lockstep = Lockstep(harness, coverage)
            script = lockstep.script
            game = Game(lockstep)
            game.draw = dice
            with suppress(Unclaimed):
                scene(Stage(game, "b"))
            lockstep.finish()
        except Divergence as divergence:
            return divergence.violation, tuple(script)
    return None


def _scenes(rounds: int) -> Iterator[Scene]:
    for _ in range(rounds):
        yield from SCENES
