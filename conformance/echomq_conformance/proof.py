"""From a history that no order explains to its core: the shortest part that still cannot be.

Two cuts that keep it a proof: what happened after the first impossible answer had returned goes
(operations under way then become unknown outcomes), and an operation goes whose answer says that
it changed nothing. If the rest has no legal order, neither has the whole.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from echomq_core import (
    Empty,
    EmptyReason,
    Enqueued,
    QueueSnapshot,
    ReassignVerdict,
    RemoveVerdict,
    ReprocessVerdict,
    Swept,
)
from echomq_core.ops import QueueOp

from .blame import clause_of
from .difference import Difference
from .history import History, Recorded
from .linearize import NODES, Verdict, search
from .oracle import Oracle
from .predicates import Violation
from .wording import answer_text, snapshot_fields

__all__ = ["Proof", "changes_nothing", "cut", "prove"]


@dataclass(frozen=True, slots=True)
class Proof:
    """`core`: the sub-history; `culprit`: the place in it of the answer that cannot be, the first
    to return; `offers`: what the model could have answered there. `legal`: how many operations of
    the whole had returned while all was still in order, in the `order` of that prefix."""

    core: History
    culprit: int
    offers: tuple[Any, ...]
    legal: int
    order: tuple[Recorded, ...]

    def violation(self) -> Violation:
        """The breach of VERB-atomic; it also names the clause of the verb."""
        guilty = self.core.operations[self.culprit]
        offered = self.offers[0] if self.offers else None
        clause = clause_of(guilty.op, Difference("answer", offered, guilty.answer))
        expected, found = _differing(self.offers, guilty.answer)
        return Violation(
            "VERB-atomic",
            f"{guilty.op.verb} of client {guilty.client} ({clause}), with "
            f"{len(self.core.operations) - 1} other operations before or beside it",
            f"{expected}, in every order of them that the clauses allow",
            found,
        )


def _differing(offers: tuple[Any, ...], answer: Any) -> tuple[str, str]:
    """Expected and found in words; of a snapshot only the fields that differ."""
    if not isinstance(answer, QueueSnapshot) or not offers:
        expected = " or ".join(answer_text(offer) for offer in offers)
        return expected or "no such answer at this point", answer_text(answer)
    found = snapshot_fields(answer)

    def differing(offer: dict[str, Any]) -> list[str]:
        return [name for name in found if offer[name] != found[name]]

    nearest = min(offers, key=lambda offer: len(differing(offer)))
    names = differing(nearest)
    return (
        ", ".join(f"{name} {answer_text(nearest[name])}" for name in names),
        ", ".join(f"{name} {answer_text(found[name])}" for name in names),
    )


def prove(history: History, oracle: Oracle | None = None, *, nodes: int = NODES) -> Proof | None:
    """The core of one queue's history; `None` when it is legal or the search gives up."""
    oracle = oracle or Oracle(history.queues[0])

    def illegal(part: History) -> bool:
        return search(part, oracle, nodes=nodes).verdict is Verdict.ILLEGAL

    if not illegal(history):
        return None
    returns = sorted(each.returned for each in history.operations if each.returned is not None)
    low, high = 0, len(returns) - 1
    while low < high:  # a cut of an illegal history stays illegal the later it is made
        middle = (low + high) // 2
        if illegal(cut(history, returns[middle])):
            high = middle
        else:
            low = middle + 1
    before = cut(history, returns[low] - 1)
    order = search(before, oracle, nodes=nodes).order
    core = list(cut(history, returns[low]).operations)
    guilty = next(each for each in core if each.returned == returns[low])
    for each in reversed(tuple(core)):
        if each is guilty or not each.known or not changes_nothing(each.op, each.answer):
            continue
        rest = [other for other in core if other is not each]
        if illegal(History(tuple(rest))):
            core = rest
    found = search(History(tuple(core)), oracle, nodes=nodes)
    place = core.index(guilty)
    return Proof(
        History.of(core),
        place,
        (found.offers or {}).get(place, ()),
        low,
        tuple(before.operations[index] for index in order),
    )


def cut(history: History, moment: int) -> History:
    """What had happened by then: calls made, and those not yet returned as unknown outcomes."""
    return History(
        tuple(
            each
            if each.returned is not None and each.returned <= moment
            else replace(each, returned=None, answer=None)
            for each in history.operations
            if each.called <= moment
        )
    )


_NO_CHANGE = frozenset(
    {
        "gone",
        "stale",
        ReassignVerdict.NOOP.value,
        ReassignVerdict.NOT_FOUND.value,
        ReassignVerdict.NOT_PENDING.value,
        RemoveVerdict.ACTIVE.value,
        ReprocessVerdict.NOT_DEAD.value,
    }
)


def changes_nothing(op: QueueOp[Any], answer: Any) -> bool:
    """Whether an operation that answers so leaves the queue as it was, by the clauses."""
    if op.reads:
        return True
    match answer:
        case bool():
            return not answer  # settings that stood so, no token taken or left
        case str():
            return answer in _NO_CHANGE
        case Enqueued(duplicate=duplicate):
            return duplicate
        case Empty(reason=reason):
            return reason != EmptyReason.GHOST
        case Swept():
            return answer.total == 0
        case list():
            return bool(answer) and all(changes_nothing(op, item) for item in answer)
        case _:
            return False
