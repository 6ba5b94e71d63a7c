"""One queue of a target beside the model: a world's choices are taken on both and compared."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from echomq_memory import QueueModel

from echomq_core import Keyspace, QueueSnapshot, ops

from ..blame import clause_of
from ..difference import Difference, Times, answer_difference, snapshot_difference
from ..harness import Harness
from ..lockstep import all_pages
from ..predicates import Violation
from ..script import Advance, LoseRow, Perform, ScriptStep
from .canonical import NOW_MS
from .choices import QUEUE, Choice
from .graph import carry_out

__all__ = ["Astray", "Walk"]

_SHIFT_MS = 3_000
"""Each step's leases end this much later than the last one's: far more than a real step takes."""

_SLACK_MS = 2_000


class Astray(AssertionError):
    """The target is not where the model is."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(str(violation))
        self.violation = violation


class Walk:
    """A fresh, empty queue on the target and on the model.

    `take` compares the answer, `look` the whole queue: who takes several steps that the model says
    change nothing needs to look but once. `script` records each step.
    """

    def __init__(self, harness: Harness) -> None:
        self._harness = harness
        self._queue = harness.fresh_queue("walk")
        self.model = QueueModel(QUEUE)
        self.script: list[ScriptStep] = []
        self._last: ops.QueueOp[Any] = ops.Snapshot(QUEUE)
        self._start_ms = harness.now_ms(self._queue)
        self._started = time.monotonic()
        self._aged_ms = 0
        self._longest_ms = 0

    @property
    def now_ms(self) -> int:
        """The model's clock. A store with a clock of its own goes on in real time, too."""
        real_ms = 0
        if self._harness.has_own_clock:
            real_ms = int((time.monotonic() - self._started) * 1_000)
        return self._start_ms + self._aged_ms + real_ms

    @property
    def _times(self) -> Times:
        if not self._harness.has_own_clock:
            return Times()
        # A deadline was set at some time within its call, and a busy machine may stall a call.
        return Times(shift_ms=self._aged_ms, slack_ms=_SLACK_MS + self._longest_ms)

    def take(self, choice: Choice) -> bool:
        """Take a choice on both sides: whether it is offered here. Raises `Astray`."""
        steps = choice.steps(self.model.state.rows, _SHIFT_MS * len(self.script))
        if steps is None:
            return False
        for step in steps:
            self.script.append(step)
            match step:
                case Perform(op):
                    self._perform(op)
                case Advance(ms):
                    self._harness.advance([self._queue], ms)
                    self._aged_ms += ms
                case LoseRow(_, job_id):
                    self.model.lose_row(job_id)
                    self._harness.lose_row(self._queue, job_id)
        return True

    def look(self) -> None:
        """Compare the whole queue. Raises `Astray`."""
        expected = self.model.apply(ops.Snapshot(QUEUE), self.now_ms)
        got = self._target(ops.Snapshot(QUEUE))
        if not isinstance(got, QueueSnapshot):
            raise Astray(Violation("VERB-snapshot", "snapshot", "a QueueSnapshot", repr(got)))
        found = snapshot_difference(expected, got, self._times)
        if found is not None:
            raise self._astray(f"snapshot after {self._last.verb}: {found.path}", found)

    def _perform(self, op: ops.QueueOp[Any]) -> None:
        self._last = op
        now_ms = self.now_ms
        if isinstance(op, ops.Browse | ops.PageOp):
            expected = all_pages(lambda page: self.model.apply(page, now_ms), op)
        else:
            expected = self.model.apply(op, now_ms)
        found = answer_difference(op, expected, self._target(op), self._times)
        if found is not None:
            raise self._astray(f"{op.verb} {found.path}", found)

    def _target(self, op: ops.QueueOp[Any]) -> Any:
        real = replace(op, queue=self._queue)
        began = time.monotonic()
        try:
            if isinstance(op, ops.Browse | ops.PageOp):
                return all_pages(self._harness.perform, real)
            answer = self._harness.perform(real)
        except Exception as error:  # whatever it raises, the verb did not answer
            raise self._astray(op.verb, Difference("answer", "an answer", error)) from error
        finally:
            took_ms = int((time.monotonic() - began) * 1_000)
            self._longest_ms = max(self._longest_ms, took_ms)
        if isinstance(op, ops.Fsck) and isinstance(answer, list):
            ours, theirs = Keyspace(QUEUE).base, Keyspace(self._queue).base
            return [replace(breach, key=breach.key.replace(theirs, ours)) for breach in answer]
        return answer

    def _astray(self, where: str, found: Difference) -> Astray:
        clause = clause_of(self._last, found, self._before())
        return Astray(Violation(clause, where, repr(found.expected), repr(found.got)))

    def _before(self) -> QueueSnapshot:
        """The queue before the last verb: the script up to it, on another model."""
        last = max(
            (at for at, step in enumerate(self.script) if isinstance(step, Perform)), default=0
        )
        model = QueueModel(QUEUE)
        _, now_ms = carry_out(model, self.script[:last], NOW_MS)
        return model.apply(ops.Snapshot(QUEUE), now_ms)
