"""One step that a small world offers: a verb with one choice of arguments, time, or a lost row.

A choice is made concrete only where it is taken: which token is right depends on the row, and
leases and delays get a shift of their own, so that no two instants meet on a real clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from echomq_memory.state import Row

from echomq_core import ops

from ..script import Advance, LoseRow, Perform, ScriptStep

__all__ = ["LEASE_MS", "MOMENT_MS", "PASS_MS", "QUEUE", "Choice", "Do", "Lose", "PassTime", "Token"]

QUEUE = "a"
"""The label of a world's queue."""

LEASE_MS = 10**8
"""Every lease and delay: longer than any walk takes."""

PASS_MS = 10**9
"""Time that passes in one step: all that waits is then due, all leases have expired."""

MOMENT_MS = 10_000
"""What passes after something fell due at once, so that the next such time is a later one."""


class Token(Enum):
    """Which token a settle names."""

    RIGHT = 0
    LOW = -1
    HIGH = 1


@dataclass(frozen=True, slots=True)
class Do:
    """A verb. `token`: what its token, or all its pairs', are to be; the numbers in `op` stand for
    nothing then."""

    op: ops.QueueOp[Any]
    token: Token | None = None

    @property
    def name(self) -> str:
        given = {
            field: getattr(self.op, field)
            for field in self.op.__dataclass_fields__
            if field not in ("queue", "token", "payload", "cursor")
        }
        words = [f"{key}={value}" for key, value in given.items() if value is not None]
        words += [f"{self.token.name.lower()} token"] if self.token is not None else []
        return " ".join([self.op.verb, *words])

    @property
    def reads(self) -> bool:
        return self.op.reads

    def steps(self, rows: Mapping[str, Row], shift_ms: int) -> tuple[ScriptStep, ...] | None:
        """The concrete steps for these rows; `None` where there is no such token."""
        changes: dict[str, Any] = {}
        match self.op:
            case ops.TokenOp(job_id=job_id):
                token = self._token(rows, job_id)
                if token < 1:
                    return None
                changes["token"] = token
            case ops.CompleteMany(pairs=pairs) | ops.ExtendMany(pairs=pairs):
                changes["pairs"] = tuple((job_id, self._token(rows, job_id)) for job_id, _ in pairs)
            case _:
                pass
        for name in ("lease_ms", "delay_ms"):
            span_ms = getattr(self.op, name, 0)
            if span_ms:
                changes[name] = span_ms + shift_ms
        step = Perform(replace(self.op, **changes) if changes else self.op)
        if isinstance(self.op, ops.Retry) and not self.op.delay_ms:
            return step, Advance(MOMENT_MS)
        return (step,)

    def _token(self, rows: Mapping[str, Row], job_id: str) -> int:
        row = rows.get(job_id)
        right = max(1, row.attempts) if row is not None else 1
        return right + self.token.value if self.token is not None else right


@dataclass(frozen=True, slots=True)
class PassTime:
    """Everything that waits falls due, every lease expires."""

    name = "pass time"
    reads = False

    def steps(self, rows: Mapping[str, Row], shift_ms: int) -> tuple[ScriptStep, ...] | None:
        return (Advance(PASS_MS),)


@dataclass(frozen=True, slots=True)
class Lose:
    """A row vanishes behind the queue's back; where there is none, there is no such step."""

    job_id: str
    reads = False

    @property
    def name(self) -> str:
        return f"lose row {self.job_id}"

    def steps(self, rows: Mapping[str, Row], shift_ms: int) -> tuple[ScriptStep, ...] | None:
        return (LoseRow(QUEUE, self.job_id),) if self.job_id in rows else None


Choice = Do | PassTime | Lose
