"""Is there an order of a history's operations that the pure model allows? (VERB-atomic)

The search of Wing and Gong with Lowe's memory: put the operations one after another, never one
before another that had returned when it was called, as long as the model gives the answers that
were recorded; go back where it does not; visit no (operations done, state) twice. An operation
with an unknown outcome may be put anywhere after its call, or left out. Each queue is searched by
itself: histories of several objects are in order when each object's part is.

A verb on many items promises atomic items in input order, not one step for all of them, so it
counts as one operation per item.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from echomq_core import ops
from echomq_core.ops import QueueOp

from .history import History, Recorded
from .oracle import EMPTY_QUEUE, Oracle, comparable

__all__ = ["NODES", "Judgement", "Step", "Verdict", "search", "steps_of"]

NODES = 200_000
"""Where a search gives up."""


class Verdict(StrEnum):
    """`inconclusive`: the search gave up; that is not a pass."""

    LEGAL = "legal"
    ILLEGAL = "illegal"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True, slots=True)
class Step:
    """One atomic step: an operation, or one item of it. `source`: its place in the history."""

    source: int
    op: QueueOp[Any]
    now_ms: int
    answer: Any
    called: int
    returned: int | None


@dataclass(frozen=True, slots=True)
class Judgement:
    """`order`: a legal order, as places in the history; operations that never took effect are left
    out. `offers`: what the model would have answered, for each operation, wherever the search
    could have put it and the recorded answer did not fit."""

    verdict: Verdict
    nodes: int
    order: tuple[int, ...] = ()
    offers: dict[int, tuple[Any, ...]] | None = None


def search(history: History, oracle: Oracle | None = None, *, nodes: int = NODES) -> Judgement:
    """Judge the history of one queue."""
    if len(history.queues) > 1:
        raise ValueError(f"one queue at a time; this history has {', '.join(history.queues)}")
    if not history.operations:
        return Judgement(Verdict.LEGAL, 0)
    return _Search(_lines(history), oracle or Oracle(history.queues[0]), nodes).run()


def steps_of(index: int, each: Recorded) -> list[Step]:
    """The atomic steps of one operation."""
    op, answer = each.op, each.answer
    items: Sequence[QueueOp[Any]]
    match op:
        case ops.EnqueueMany():
            items = [
                ops.Enqueue(
                    op.queue, item.group, item.payload, item.job_id, item.delay_ms, item.run_at_ms
                )
                for item in op.items
            ]
        case ops.CompleteMany():
            items = [ops.Complete(op.queue, job_id, token) for job_id, token in op.pairs]
        case ops.ExtendMany():
            items = [ops.Extend(op.queue, job_id, token, op.lease_ms) for job_id, token in op.pairs]
        case _:
            items = ()
    if each.known and not (isinstance(answer, list) and len(answer) == len(items)):
        items = ()  # no answer per item: judged whole, so that it is equal to no right answer
    if not items:
        seen = comparable(op, answer)
        return [Step(index, op, each.now_ms, seen, each.called, each.returned)]
    answers = answer if each.known else [None] * len(items)
    return [
        Step(index, item, each.now_ms, comparable(item, one), each.called, each.returned)
        for item, one in zip(items, answers, strict=True)
    ]


def _lines(history: History) -> list[list[Step]]:
    """Steps that follow one another: one line for each client. An unknown outcome stands on a line
    of its own, since its client went on without waiting for it."""
    lines: dict[object, list[Step]] = {}
    for index, each in enumerate(history.operations):
        key: object = each.client if each.known else ("unknown", index)
        lines.setdefault(key, []).extend(steps_of(index, each))
    return list(lines.values())


_Path = tuple["_Path", int] | None
"""The order found so far, last step first."""


class _Search:
    def __init__(self, lines: list[list[Step]], oracle: Oracle, nodes: int) -> None:
        self._lines = lines
        self._oracle = oracle
        self._most = nodes
        self._offers: dict[int, list[Any]] = {}

    def run(self) -> Judgement:
        """Depth first. The step that returned first is tried first: mostly that is the order."""
        start = (0,) * len(self._lines)
        stack: list[tuple[tuple[int, ...], int, _Path]] = [(start, EMPTY_QUEUE, None)]
        seen = {(start, EMPTY_QUEUE)}
        nodes = 0
        while stack:
            done, state, path = stack.pop()
            nodes += 1
            heads = [
                (number, line[at])
                for number, (line, at) in enumerate(zip(self._lines, done, strict=True))
                if at < len(line)
            ]
            returns = [step.returned for _, step in heads if step.returned is not None]
            if not returns:
                return Judgement(Verdict.LEGAL, nodes, _unrolled(path))
            if nodes > self._most:
                return Judgement(Verdict.INCONCLUSIVE, nodes)
            first_return = min(returns)
            for number, step in sorted(heads, key=_latest_return_first):
                if step.called > first_return:
                    continue
                answer, after = self._oracle.step(state, step.op, step.now_ms)
                if step.returned is not None and answer != step.answer:
                    offers = self._offers.setdefault(step.source, [])
                    if answer not in offers:
                        offers.append(answer)
                    continue
                then = (*done[:number], done[number] + 1, *done[number + 1 :])
                if (then, after) not in seen:
                    seen.add((then, after))
                    stack.append((then, after, (path, step.source)))
        offered = {source: tuple(answers) for source, answers in self._offers.items()}
        return Judgement(Verdict.ILLEGAL, nodes, offers=offered)


def _latest_return_first(head: tuple[int, Step]) -> float:
    returned = head[1].returned
    return float("-inf") if returned is None else -returned


def _unrolled(path: _Path) -> tuple[int, ...]:
    order: list[int] = []
    while path is not None:
        path, source = path
        if not order or order[-1] != source:
            order.append(source)
    return tuple(reversed(order))
