"""The order in which a walk takes every step of a graph at least once, each from its true state.

A walk goes on from where its last step ended: first all that is still to do here and leads
nowhere else, then one that leads on, and when all is done here, a shortest way to the nearest
state where something is not.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from .graph import NOWHERE, Graph

__all__ = ["Move", "Tour"]


@dataclass(frozen=True, slots=True)
class Move:
    """Take `choice` in `state`; `leads_to` is where the model says it ends. `fresh`: for the first
    time. `starts`: this begins a new walk, on an empty queue."""

    state: int
    choice: int
    leads_to: int
    fresh: bool
    starts: bool = False

    @property
    def stays(self) -> bool:
        return self.state == self.leads_to


class Tour:
    """An endless supply of moves until every pair is done; `done` of `pairs` so far.

    A first share of the pairs, drawn by the seed from all over the world, comes before the rest:
    so a tour that is broken off is a sample of the whole. A walk ends after `walk_moves` moves, and
    where no way leads on.
    """

    def __init__(
        self, graph: Graph, *, seed: int, first_share: float = 0.03, walk_moves: int = 4_000
    ) -> None:
        self.pairs = graph.pairs
        self.done = 0
        self._graph = graph
        self._random = Random(seed)
        self._first_share = first_share
        self._walk_moves = walk_moves
        self._todo: list[set[int]] = [set() for _ in graph.states]
        self._later: list[set[int]] = [
            {choice for choice, lead in enumerate(row) if lead != NOWHERE} for row in graph.leads
        ]

    def moves(self) -> Iterator[Move]:
        """Every move, in order."""
        for first, rest in zip(self._todo, self._later, strict=True):
            first.update(c for c in sorted(rest) if self._random.random() < self._first_share)
            rest.difference_update(first)
        yield from self._walks()
        self._todo = self._later
        yield from self._walks()

    def _walks(self) -> Iterator[Move]:
        while any(self._todo):
            starts = True
            for move in self._walk():
                yield Move(move.state, move.choice, move.leads_to, move.fresh, starts)
                starts = False

    def _walk(self) -> Iterator[Move]:
        state, moves = 0, 0
        while moves < self._walk_moves:
            for choice in self._at(state):
                yield self._move(state, choice)
                moves += 1
                state = self._graph.leads[state][choice]
            if not self._todo[state]:
                way = self._nearest(state)
                if way is None:
                    return
                for choice in way:
                    yield self._move(state, choice)
                    moves += 1
                    state = self._graph.leads[state][choice]

    def _at(self, state: int) -> Sequence[int]:
        """What is to do here: all that stays, then one that leads on, best to where more is to do."""
        row = self._graph.leads[state]
        todo = sorted(self._todo[state])
        stay = [choice for choice in todo if row[choice] == state]
        lead = [choice for choice in todo if row[choice] != state]
        if not lead:
            return stay
        busy = [choice for choice in lead if self._todo[row[choice]]]
        return [*stay, self._random.choice(busy or lead)]

    def _move(self, state: int, choice: int) -> Move:
        fresh = choice in self._todo[state] or choice in self._later[state]
        self._todo[state].discard(choice)
        self._later[state].discard(choice)
        self.done += fresh
        return Move(state, choice, self._graph.leads[state][choice], fresh)

    def _nearest(self, state: int) -> list[int] | None:
        """A shortest way to a state where something is to do; `None` if there is none from here."""
        came_from: dict[int, tuple[int, int]] = {}
        queue = deque([state])
        seen = {state}
        while queue:
            here = queue.popleft()
            for choice, there in enumerate(self._graph.leads[here]):
                if there == NOWHERE or there in seen:
                    continue
                seen.add(there)
                came_from[there] = (here, choice)
                if self._todo[there]:
                    return _way(came_from, state, there)
                queue.append(there)
        return None


def _way(came_from: dict[int, tuple[int, int]], start: int, end: int) -> list[int]:
    way: list[int] = []
    while end != start:
        end, choice = came_from[end]
        way.append(choice)
    return way[::-1]
