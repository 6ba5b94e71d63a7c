"""Every state that a world can reach, and where every step leads: breadth first, on the model."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from echomq_memory import QueueModel
from echomq_memory.frozen import FrozenQueue

from ..script import Advance, LoseRow, Perform, ScriptStep
from .canonical import NOW_MS, canonical
from .choices import QUEUE
from .worlds import World

__all__ = ["NOWHERE", "Graph", "Taken", "carry_out", "explore"]

NOWHERE = -1
"""The step is not offered in this state."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A step that the model took, for those who judge it. `after` is not canonical."""

    number: int
    before: FrozenQueue
    steps: tuple[ScriptStep, ...]
    answer: Any
    after: FrozenQueue
    now_ms: int


@dataclass(frozen=True, slots=True)
class Graph:
    """States by number, the empty queue being 0; `leads[state][choice]` is a state or `NOWHERE`.

    `found_by[state]` is the (state, choice) that reached it first, by a shortest path.
    """

    world: World
    states: tuple[FrozenQueue, ...]
    leads: tuple[array[int], ...]
    found_by: tuple[tuple[int, int], ...]

    @property
    def pairs(self) -> int:
        """How many (state, verb) steps there are."""
        return sum(len(row) - row.count(NOWHERE) for row in self.leads)

    @property
    def depth(self) -> int:
        """The length of the longest of all shortest paths."""
        depths = [0]
        for parent, _ in self.found_by[1:]:
            depths.append(depths[parent] + 1)
        return max(depths)

    def path_to(self, state: int) -> list[int]:
        """The choices of a shortest path from the empty queue."""
        path: list[int] = []
        while state:
            state, choice = self.found_by[state]
            path.append(choice)
        return path[::-1]


def explore(
    world: World,
    *,
    judge: Callable[[Taken], None] = lambda _: None,
    model_class: type[QueueModel] = QueueModel,
) -> Graph:
    """The whole graph of a world. `judge` sees every step once, in the order of the states."""
    start = canonical(model_class(QUEUE).freeze(), NOW_MS, world.told_attempts)
    numbers = {start: 0}
    states = [start]
    found_by = [(0, NOWHERE)]
    leads: list[array[int]] = []
    for number, here in enumerate(states):  # the list grows under way
        row = array("i")
        model: QueueModel | None = None
        for index, choice in enumerate(world.choices):
            if model is None:
                model = model_class.thaw(here)
            steps = choice.steps(model.state.rows, 0)
            if steps is None:
                row.append(NOWHERE)
                continue
            answer, now_ms = carry_out(model, steps, NOW_MS)
            after = model.freeze()
            judge(Taken(number, here, steps, answer, after, now_ms))
            if after == here and now_ms == NOW_MS:
                row.append(number)
                continue
            model = None
            there = canonical(after, now_ms, world.told_attempts)
            known = numbers.setdefault(there, len(states))
            if known == len(states):
                states.append(there)
                found_by.append((number, index))
            row.append(known)
        leads.append(row)
    return Graph(world, tuple(states), tuple(leads), tuple(found_by))


def carry_out(model: QueueModel, steps: Sequence[ScriptStep], now_ms: int) -> tuple[Any, int]:
    """Take one choice's steps on a model: the verb's answer, if there is a verb, and the time then."""
    answer = None
    for step in steps:
        match step:
            case Perform(op):
                answer = model.apply(op, now_ms)
            case Advance(ms):
                now_ms += ms
            case LoseRow(_, job_id):
                model.lose_row(job_id)
    return answer, now_ms
