"""Calls, answers and queues in short words, for people who read a violation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from echomq_core import Empty, Enqueued, Explanation, Job, JobRecord, QueueSnapshot, Swept
from echomq_core.ops import QueueOp

__all__ = ["answer_text", "call_text", "snapshot_fields"]


def call_text(op: QueueOp[Any]) -> str:
    """A call without the arguments that are as by default."""
    given = ", ".join(
        f"{item.name}={getattr(op, item.name)!r}"
        for item in fields(op)
        if getattr(op, item.name) != item.default
    )
    return f"{op.verb}({given.removeprefix('queue=')})"


def answer_text(answer: Any) -> str:
    match answer:
        case Job():
            return f"Job({answer.id}, group {answer.group!r}, token {answer.token})"
        case JobRecord():
            return f"{answer.id} {answer.state} in {answer.group!r} with token {answer.attempts}"
        case list() | tuple():
            return "[" + ", ".join(answer_text(item) for item in answer) + "]"
        case Empty():
            return f"Empty({answer.reason})"
        case Enqueued():
            return f"{answer.id} {'duplicate' if answer.duplicate else 'admitted'}"
        case Swept():
            return f"returned {answer.returned}, dead {answer.dead}, dropped {answer.dropped}"
        case Explanation():
            return str(answer.reason)
        case QueueSnapshot():
            return answer_text(snapshot_fields(answer))
        case Mapping():
            told = (f"{key}: {answer_text(value)}" for key, value in answer.items() if value)
            return "{" + ", ".join(told) + "}"
        case frozenset():
            return "{" + ", ".join(sorted(map(str, answer))) + "}"
        case str():
            return str(answer)
        case _:
            return repr(answer)


def snapshot_fields(snapshot: QueueSnapshot) -> dict[str, Any]:
    """What concurrent clients' snapshots are compared by: no instants. `active` has no order here:
    leases that were taken at one time end at one time."""
    told = {item.name: getattr(snapshot, item.name) for item in fields(QueueSnapshot)}
    del told["now_ms"]
    for name in ("jobs", "in_flight", "limits", "weights"):
        told[name] = dict(told[name])
    told["lanes"] = {group: tuple(ids) for group, ids in snapshot.lanes.items()}
    told["active"] = frozenset(snapshot.active)
    due = snapshot.schedule
    told["schedule"] = tuple(sorted(due, key=lambda job_id: (due[job_id], job_id)))
    return told
