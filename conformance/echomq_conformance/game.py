"""An example being played: what to draw from, and times that no real millisecond can flip.

On a server real time passes between two steps. So time moves in multiples of 10,000 s, and every
lease and delay is such a multiple plus an offset that is used once: no two times come near each
other, and none near a `now`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from echomq_core import QueueSnapshot, ops

from .lockstep import Lockstep
from .names import job_ids

__all__ = ["STRIDE_MS", "Draw", "Game"]

T = TypeVar("T")

STRIDE_MS = 10_000_000
"""The unit in which time moves."""

_FIRST_OFFSET_MS = 200_000
_OFFSET_STEP_MS = 30_000
_OFFSETS = 320

MOST_REAL_MS = 15_000
"""An example that takes longer ends: half of what would bring two times near each other."""

IDS = job_ids(9)


class Draw(Protocol):
    """A source of choices: Hypothesis in a run, a seeded `Random` in the kit's own tests."""

    def one(self, options: Sequence[T]) -> T: ...

    def chance(self, percent: int) -> bool: ...


class Game:
    """The players of one example: lockstep, choices, and a stock of times."""

    def __init__(self, lockstep: Lockstep) -> None:
        self.lockstep = lockstep
        self.draw: Draw
        self._offsets = 0

    @property
    def spent(self) -> bool:
        """Whether the times of this example run out, or real time does; then it should end."""
        return self._offsets > _OFFSETS - 30 or self.lockstep.elapsed_ms > MOST_REAL_MS

    def span_ms(self, strides: int = 0) -> int:
        """A lease or delay that ends near nothing else: `strides` times 10,000 s, and an offset."""
        self._offsets += 1
        return strides * STRIDE_MS + _FIRST_OFFSET_MS + _OFFSET_STEP_MS * self._offsets

    def state(self, label: str) -> QueueSnapshot:
        return self.lockstep.state(label)

    def do(self, op: ops.QueueOp[Any]) -> Any:
        return self.lockstep.perform(op)

    def pass_time(self, strides: int = 1) -> None:
        self.lockstep.advance(strides * STRIDE_MS)

    def an_id(self, label: str, *states: str) -> str:
        """An id whose row is in one of `states`, if there is one; else any."""
        jobs = self.state(label).jobs
        wanted = sorted(job_id for job_id, row in jobs.items() if row.state in states)
        return self.draw.one(wanted or IDS)

    def token_of(self, label: str, job_id: str) -> int:
        """The token that is right for an id, or 1."""
        row = self.state(label).jobs.get(job_id)
        return max(1, row.attempts) if row is not None else 1
