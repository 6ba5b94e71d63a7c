"""Random walks through a world too large to enumerate; steps not yet seen go first."""

from __future__ import annotations

import time
from random import Random

from echomq_memory.frozen import FrozenQueue

from .canonical import canonical
from .walk import Walk
from .worlds import World

__all__ = ["Ramble"]

WALK_STEPS = 300
_TRIES = 4
_MOST_UNSEEN = 8


class Ramble:
    """`done` counts the different (state, step) pairs that its walks have performed."""

    def __init__(self, world: World, random: Random) -> None:
        self._world = world
        self._random = random
        self._seen: set[tuple[int, int]] = set()

    @property
    def done(self) -> int:
        return len(self._seen)

    def along(self, walk: Walk, *, until: float) -> int:
        """Take a fresh walk some hundred steps further: how many it took. `until` is a time of
        `time.monotonic`. Raises `Astray`."""
        here = walk.model.freeze()
        unseen = steps = 0
        while steps < WALK_STEPS and time.monotonic() < until:
            state = hash(self._canonical(here, walk))
            choice = self._choose(state)
            if not walk.take(self._world.choices[choice]):
                continue
            self._seen.add((state, choice))
            steps += 1
            there = walk.model.freeze()
            if there != here or unseen >= _MOST_UNSEEN:
                walk.look()
                unseen = 0
            else:
                unseen += 1
            here = there
        walk.look()
        return steps

    def _canonical(self, queue: FrozenQueue, walk: Walk) -> FrozenQueue:
        return canonical(queue, walk.now_ms, self._world.told_attempts)

    def _choose(self, state: int) -> int:
        """A random choice; one that was taken in this state already is drawn anew a few times."""
        choice = 0
        for _ in range(_TRIES):
            choice = self._random.randrange(len(self._world.choices))
            if (state, choice) not in self._seen:
                break
        return choice
