"""The steps of an example as values: they can be replayed on any target, shrunk, and printed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import MISSING, dataclass, fields, replace
from typing import Any

from echomq_core import NewJob, ops

__all__ = ["Advance", "LoseRow", "Perform", "ScriptStep", "as_python", "with_times"]


@dataclass(frozen=True, slots=True)
class Perform:
    """Carry out one verb. Its queue is a label (`a`, `b`), its `run_at_ms` counts from the start."""

    op: ops.QueueOp[Any]


@dataclass(frozen=True, slots=True)
class Advance:
    """Let time pass for every queue of the example."""

    ms: int


@dataclass(frozen=True, slots=True)
class LoseRow:
    """Delete a row behind the backend's back."""

    queue: str
    job_id: str


ScriptStep = Perform | Advance | LoseRow


def with_times(op: ops.QueueOp[Any], queue: str, origin_ms: int) -> ops.QueueOp[Any]:
    """The operation on a real queue, with `run_at_ms` as a time of the store's clock."""
    match op:
        case ops.Enqueue() if op.run_at_ms is not None:
            return replace(op, queue=queue, run_at_ms=max(0, op.run_at_ms + origin_ms))
        case ops.EnqueueMany():
            items = tuple(
                item
                if item.run_at_ms is None
                else replace(item, run_at_ms=max(0, item.run_at_ms + origin_ms))
                for item in op.items
            )
            return replace(op, queue=queue, items=items)
        case _:
            return replace(op, queue=queue)


def as_python(steps: Sequence[ScriptStep], open_line: str, note: str) -> str:
    """A runnable program of the steps. `open_line` opens the target as `harness`."""
    lines = [
        f"# {note}",
        "from echomq_core import NewJob",
        "from echomq_conformance.harness import Harness",
        "from echomq_conformance.target import find_target",
        "",
        f"with {open_line} as harness:",
        "    backend = harness.backend",
        "    queues = {label: harness.fresh_queue(label) for label in 'ab'}",
        "    start_ms = harness.now_ms(queues['a'])",
        "    aged_ms = 0",
    ]
    lines += [f"    {line}" for step in steps for line in _lines(step)]
    lines += [
        "    for label, queue in queues.items():",
        "        print(label, harness.snapshot(queue))",
    ]
    return "\n".join(lines) + "\n"


def _lines(step: ScriptStep) -> Iterator[str]:
    match step:
        case Advance(ms):
            yield f"harness.advance(list(queues.values()), {ms})"
            yield f"aged_ms += {ms} if harness.has_own_clock else 0"
        case LoseRow(queue, job_id):
            yield f"harness.lose_row(queues[{queue!r}], {job_id!r})"
        case Perform(op):
            given = ", ".join(
                f"{name}={_literal(name, value)}" for name, value in _spoken(op).items()
            )
            comma = ", " if given else ""
            yield f"print(backend.{op.verb}(queues[{op.queue!r}]{comma}{given}))"


def _spoken(value: Any) -> dict[str, Any]:
    """The arguments that differ from their defaults."""
    return {
        field.name: getattr(value, field.name)
        for field in fields(value)
        if field.name != "queue"
        and (field.default is MISSING or getattr(value, field.name) != field.default)
    }


def _literal(name: str, value: Any) -> str:
    if name == "run_at_ms":
        return f"start_ms - aged_ms + {value}"
    if isinstance(value, NewJob):
        given = ", ".join(f"{key}={_literal(key, part)}" for key, part in _spoken(value).items())
        return f"NewJob({given})"
    if isinstance(value, tuple) and value and isinstance(value[0], NewJob):
        return "[" + ", ".join(_literal("", item) for item in value) + "]"
    return str(value) if name == "n" else repr(str(value)) if name == "state" else repr(value)
