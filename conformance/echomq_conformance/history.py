"""What concurrent clients did: each operation with its client, its answer, and when.

*When* is the order of events alone: every call and every return has its place in one order. Two
operations overlap unless one returned before the other was called.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from echomq_core.ops import QueueOp

from .encoding import decode, decode_op, encode, encode_op

__all__ = ["History", "Recorded"]

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Recorded:
    """One operation of one client. Its queue is a label (`a`, `b`), not the name that was used.

    `called`, `returned`: places in the order of all events, or clock readings until `History.of`
    has ranked them. `returned` is `None` for an unknown outcome: the operation may have taken
    effect at any moment after its call, or never. `now_ms`: the kit's time, which moves only where
    the kit moves it.
    """

    client: int
    op: QueueOp[Any]
    called: int
    returned: int | None
    answer: Any = None
    now_ms: int = 0

    @property
    def known(self) -> bool:
        return self.returned is not None


@dataclass(frozen=True, slots=True)
class History:
    """The operations of a run, in the order of their calls."""

    operations: tuple[Recorded, ...]

    @classmethod
    def of(cls, recorded: Iterable[Recorded]) -> History:
        """Clock readings become places. Readings that tie count as overlapping, the safe side: a
        call goes before a return."""
        operations = sorted(recorded, key=lambda each: each.called)
        events = [(each.called, 0, index) for index, each in enumerate(operations)]
        events += [
            (each.returned, 1, index)
            for index, each in enumerate(operations)
            if each.returned is not None
        ]
        places = {event[1:]: place for place, event in enumerate(sorted(events))}
        return cls(
            tuple(
                replace(each, called=places[0, index], returned=places.get((1, index)))
                for index, each in enumerate(operations)
            )
        )

    @property
    def queues(self) -> tuple[str, ...]:
        return tuple(sorted({each.op.queue for each in self.operations}))

    @property
    def clients(self) -> tuple[int, ...]:
        return tuple(sorted({each.client for each in self.operations}))

    def of_queue(self, label: str) -> History:
        """One queue's part. A history is in order when the part of each queue is."""
        return History.of(each for each in self.operations if each.op.queue == label)

    def overlaps(self) -> int:
        """How many pairs of operations of different clients ran at the same time."""
        return sum(
            one.client != other.client and (one.returned is None or other.called < one.returned)
            for index, one in enumerate(self.operations)
            for other in self.operations[index + 1 :]
        )

    def to_json(self) -> str:
        return json.dumps(
            {"format": _FORMAT, "operations": [_encode(each) for each in self.operations]},
            indent=1,
            ensure_ascii=False,
        )

    @classmethod
    def from_json(cls, text: str) -> History:
        """Raises `ValueError` for another format."""
        data = json.loads(text)
        if data.get("format") != _FORMAT:
            raise ValueError(f"a history of format {data.get('format')!r}; this reads {_FORMAT}")
        return cls(_decode_all(data["operations"]))


def _encode(each: Recorded) -> dict[str, Any]:
    return {
        "client": each.client,
        "op": encode_op(each.op),
        "called": each.called,
        "returned": each.returned,
        "answer": encode(each.answer),
        "now_ms": each.now_ms,
    }


def _decode_all(data: Sequence[dict[str, Any]]) -> tuple[Recorded, ...]:
    return tuple(
        Recorded(
            each["client"],
            decode_op(each["op"]),
            each["called"],
            each["returned"],
            decode(each["answer"]),
            each["now_ms"],
        )
        for each in data
    )
