"""The steps of a script as JSON data and back: a report carries them, and any target can replay them.

A verb is `{"verb": ..., argument: ...}`, time is `{"advance_ms": ...}`, a lost row is
`{"lose_row": {"queue": ..., "job_id": ...}}`. `encoding` says how values are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .encoding import decode_op, encode_op
from .script import Advance, LoseRow, Perform, ScriptStep

__all__ = ["decode_script", "encode_script"]


def encode_script(steps: Iterable[ScriptStep]) -> tuple[dict[str, Any], ...]:
    return tuple(_encode(step) for step in steps)


def decode_script(data: Iterable[Mapping[str, Any]]) -> tuple[ScriptStep, ...]:
    """Raises `ValueError`, with the step, for what is no script."""
    return tuple(_decode(step) for step in data)


def _encode(step: ScriptStep) -> dict[str, Any]:
    match step:
        case Advance(ms):
            return {"advance_ms": ms}
        case LoseRow(queue, job_id):
            return {"lose_row": {"queue": queue, "job_id": job_id}}
        case Perform(op):
            return encode_op(op)


def _decode(data: Mapping[str, Any]) -> ScriptStep:
    try:
        match data:
            case {"verb": str()}:
                return Perform(decode_op(data))
            case {"advance_ms": int(ms)}:
                return Advance(ms)
            case {"lose_row": {"queue": str(queue), "job_id": str(job_id)}}:
                return LoseRow(queue, job_id)
    except (KeyError, TypeError) as wrong:
        raise ValueError(f"no step of a script: {dict(data)} ({wrong!r})") from wrong
    raise ValueError(f"no step of a script: {dict(data)}")
