"""The pure model as a graph that a search can walk: numbered states, each step taken once.

Also what of an answer is compared: everything but instants, which follow the store's clock.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from echomq_memory import FrozenQueue, QueueModel

from echomq_core import Explanation, Job, QueueSnapshot, ops
from echomq_core.ops import QueueOp

from .wording import snapshot_fields

__all__ = ["Oracle", "comparable"]

EMPTY_QUEUE = 0
"""The number of the state in which every queue starts."""


class Oracle:
    """Steps of one queue's model from any state that was reached before.

    Kept over the repeats of a program, since those walk through the same states again.
    """

    def __init__(self, queue: str) -> None:
        self._numbers: dict[FrozenQueue, int] = {}
        self._states: list[FrozenQueue] = []
        self._steps: dict[tuple[int, QueueOp[Any], int], tuple[Any, int]] = {}
        self._number(QueueModel(queue).freeze())

    def step(self, state: int, op: QueueOp[Any], now_ms: int) -> tuple[Any, int]:
        """What the model answers there, as `comparable`, and the state that follows."""
        key = (state, op, now_ms)
        known = self._steps.get(key)
        if known is None:
            model = QueueModel.thaw(self._states[state])
            answer = model.apply(op, now_ms)
            known = self._steps[key] = (comparable(op, answer), self._number(model.freeze()))
        return known

    @property
    def size(self) -> int:
        """States seen so far."""
        return len(self._states)

    def _number(self, frozen: FrozenQueue) -> int:
        number = self._numbers.setdefault(frozen, len(self._states))
        if number == len(self._states):
            self._states.append(frozen)
        return number


def comparable(op: QueueOp[Any], answer: Any) -> Any:
    """An answer without deadlines, due times, ages and words; the same form for model and target."""
    match answer:
        case Job():
            return replace(answer, deadline_ms=0)
        case list():
            return [comparable(op, item) for item in answer]
        case QueueSnapshot():
            return snapshot_fields(answer)
        case Explanation():
            return answer.reason
        case int() if isinstance(op, ops.NextDue):
            return "overdue" if answer == 0 else "later"
        case _:
            return answer
