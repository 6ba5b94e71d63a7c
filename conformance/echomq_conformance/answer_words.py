"""The words under which the answers of verbs are counted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from echomq_core import Empty, ops

__all__ = ["answers_of"]


def answers_of(op: ops.Op[Any], answer: Any) -> Iterator[str]:  # noqa: PLR0912 - one per answer
    """The words under which an answer is counted."""
    match op, answer:
        case ((ops.Claim() | ops.ClaimMany() | ops.WClaim() | ops.BClaim()), Empty()):
            yield str(answer.reason)
        case ((ops.Claim() | ops.ClaimMany() | ops.WClaim() | ops.BClaim()), _):
            yield "served"
        case (ops.Enqueue(), _):
            yield "duplicate" if answer.duplicate else "admitted"
        case (ops.EnqueueMany(), _):
            for item in answer:
                yield "duplicate" if item.duplicate else "admitted"
        case ((ops.CompleteMany() | ops.ExtendMany()), _):
            yield from map(str, answer)
        case ((ops.Promote() | ops.Reap() | ops.ReapGroup()), _):
            parts = ("returned", "dead", "dropped")
            yield from [part for part in parts if getattr(answer, part)] or ["nothing"]
        case (ops.Drain(), _):
            yield "some" if answer else "none"
        case (ops.ReadJob(), _):
            yield "none" if answer is None else "found"
        case (ops.NextDue(), _):
            yield "none" if answer is None else "later" if answer else "overdue"
        case (ops.Explain(), _):
            yield str(answer.reason)
        case _, bool():
            yield "true" if answer else "false"
        case _, str():
            yield str(answer)
        case _:
            pass
