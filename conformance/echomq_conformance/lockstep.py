"""One example: every step on the oracle and on the target, compared field by field.

After each step three opinions are heard: the oracle's answer and queue, the predicates of the
clauses, and a decoy queue that nobody may touch (KEYS-1).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from echomq_memory import QueueModel

from echomq_core import Keyspace, Page, QueueSnapshot, ops

from .answer_words import answers_of
from .blame import clause_of
from .branches import branches_of
from .coverage import Coverage
from .difference import Difference, Times, answer_difference, snapshot_difference
from .harness import Harness
from .ledger import Ledger
from .names import GROUPS, job_ids
from .predicates import Violation, check_finished, check_snapshot
from .profiles import VERB_PROFILES
from .script import Advance, LoseRow, Perform, ScriptStep, with_times
from .transitions import Step, check_step

__all__ = ["LABELS", "Divergence", "Lockstep", "Unclaimed", "all_pages"]

LABELS = ("a", "b")

SLACK_MS = 20
"""What two clocks may differ by over one example, besides the real time that it takes."""

MOVE_ON_MS = 10**9
"""More than any lease or delay that an example uses."""


class Unclaimed(Exception):
    """A step needs a verb whose profile the target does not claim; it is left out."""


class Divergence(AssertionError):
    """The target is not what the clause demands. The message begins with the clause id."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(str(violation))
        self.violation = violation


@dataclass(slots=True)
class _Side:
    """One queue of the example: its real name, its oracle, what the kit has counted."""

    queue: str
    model: QueueModel
    ledger: Ledger
    expected: QueueSnapshot
    got: QueueSnapshot


class Lockstep:
    """Two queues of one target beside their oracles, and a decoy. `script` records each step."""

    def __init__(self, harness: Harness, coverage: Coverage) -> None:
        self._harness = harness
        self._coverage = coverage
        self.script: list[ScriptStep] = []
        self._aged_ms = 0
        self._began = time.monotonic()
        self._claims = harness.target.claims
        self._decoy = harness.fresh_queue("decoy")
        self._furnish_decoy()
        self._decoy_was = harness.snapshot(self._decoy)
        self._start_ms = self._decoy_was.now_ms
        self._sides = {label: self._side(label) for label in LABELS}
        coverage.examples += 1

    def _side(self, label: str) -> _Side:
        model = QueueModel(label)
        queue = self._harness.fresh_queue(label)
        expected = model.apply(ops.Snapshot(label), self._start_ms)
        return _Side(queue, model, Ledger(), expected, self._snapshot(queue))

    def _furnish_decoy(self) -> None:
        q, payload = self._decoy, b"decoy"
        first, second, third = job_ids(3)
        furniture: tuple[ops.QueueOp[Any], ...] = (
            ops.Enqueue(q, GROUPS[0], payload, first),
            ops.Enqueue(q, GROUPS[1], payload, second),
            ops.Enqueue(q, GROUPS[0], payload, third, 10**12),
            ops.Claim(q, 10**12),
        )
        for op in furniture:
            self._answer(q, op)

    @property
    def now_ms(self) -> int:
        """The oracle's clock."""
        return self._start_ms + self._aged_ms

    @property
    def aged_ms(self) -> int:
        """How far time was moved since the start."""
        return self._aged_ms

    @property
    def _origin_ms(self) -> int:
        """What the target's clock called the start, seen from now: ageing moves it back."""
        return self._start_ms - (self._aged_ms if self._harness.has_own_clock else 0)

    @property
    def _times(self) -> Times:
        if not self._harness.has_own_clock:
            return Times()
        return Times(shift_ms=self._aged_ms, slack_ms=self.elapsed_ms + SLACK_MS)

    @property
    def elapsed_ms(self) -> int:
        """The real time that this example has taken, by this machine's clock."""
        return int((time.monotonic() - self._began) * 1_000) + 1

    def state(self, label: str) -> QueueSnapshot:
        """The oracle's queue, for choosing the next step."""
        return self._sides[label].expected

    # --- steps --------------------------------------------------------------------------------

    def play(self, steps: Sequence[ScriptStep]) -> None:
        """Replay recorded steps. Raises `Divergence` at the first fault."""
        for step in steps:
            match step:
                case Perform(op):
                    self.perform(op)
                case Advance(ms):
                    self.advance(ms)
                case LoseRow(queue, job_id):
                    self.lose_row(queue, job_id)

    def advance(self, ms: int) -> None:
        """Let time pass for every queue of the example, the decoy left out."""
        self.script.append(Advance(ms))
        self._harness.advance([side.queue for side in self._sides.values()], ms)
        self._aged_ms += ms

    def lose_row(self, label: str, job_id: str) -> None:
        """Lose a row on both sides, as an eviction would."""
        self.script.append(LoseRow(label, job_id))
        side = self._sides[label]
        side.ledger.lose(side.got, job_id)
        side.model.lose_row(job_id)
        self._harness.lose_row(side.queue, job_id)
        side.expected = side.model.apply(ops.Snapshot(label), self.now_ms)
        side.got = self._snapshot(side.queue)

    def claims(self, op: ops.QueueOp[Any]) -> bool:
        """Whether the target claims the profile of a verb."""
        return VERB_PROFILES[op.verb] in self._claims

    def perform(self, op: ops.QueueOp[Any]) -> Any:
        """Carry out one verb on both sides; the answer that both gave. Raises `Unclaimed`."""
        if not self.claims(op):
            raise Unclaimed(op.verb)
        self.script.append(Perform(op))
        side = self._sides[op.queue]
        expected = self._oracle(side, with_times(op, op.queue, self._start_ms))
        got = self._target(side, with_times(op, side.queue, self._origin_ms))
        before, oracle_before = side.got, side.expected
        side.expected = side.model.apply(ops.Snapshot(op.queue), self.now_ms)
        side.got = self._snapshot(side.queue)
        step = Step(op, expected, oracle_before, side.expected)
        self._coverage.saw(op.verb, answers_of(op, expected), branches_of(step))
        self._judge(side, op, expected, got, before)
        return expected

    def _judge(
        self, side: _Side, op: ops.QueueOp[Any], expected: Any, got: Any, before: QueueSnapshot
    ) -> None:
        """Three opinions, in the order in which they name a clause best: what a step may change,
        the oracle's answer, what holds of any queue, the oracle's queue."""
        differs = answer_difference(op, expected, got, self._times)
        if type(expected) is type(got):
            _raise_first(check_step(Step(op, got, before, side.got)))
        if differs is not None:
            _raise_difference(op, f"{op.verb} ", differs, before)
        side.ledger.record(op, got, before)
        _raise_first(check_snapshot(side.got, side.ledger))
        found = snapshot_difference(side.expected, side.got, self._times)
        if found is not None:
            _raise_difference(op, f"snapshot after {op.verb}: ", found, before)

    def _oracle(self, side: _Side, op: ops.QueueOp[Any]) -> Any:
        if isinstance(op, ops.Browse | ops.PageOp):
            return all_pages(lambda page: side.model.apply(page, self.now_ms), op)
        return side.model.apply(op, self.now_ms)

    def _target(self, side: _Side, op: ops.QueueOp[Any]) -> Any:
        answer = self._answer(side.queue, op)
        if isinstance(op, ops.Fsck) and isinstance(answer, list):
            # The oracle's queue has another name, and a breach names keys.
            ours, theirs = (Keyspace(name).base for name in (side.model.state.queue, side.queue))
            return [replace(breach, key=breach.key.replace(theirs, ours)) for breach in answer]
        return answer

    def _answer(self, queue: str, op: ops.QueueOp[Any]) -> Any:
        try:
            if isinstance(op, ops.Browse | ops.PageOp):
                return all_pages(self._harness.perform, op)
            return self._harness.perform(op)
        except Exception as error:
            clause = clause_of(op, Difference("answer", None, error))
            raise Divergence(
                Violation(clause, f"{op.verb} answer in {queue}", "an answer", f"{error!r}")
            ) from error

    def _snapshot(self, queue: str) -> QueueSnapshot:
        try:
            return self._harness.snapshot(queue)
        except Exception as error:
            raise Divergence(
                Violation("VERB-snapshot", "snapshot answer", "an answer", f"{error!r}")
            ) from error

    # --- the end of an example ----------------------------------------------------------------

    def finish(self) -> None:
        """Bring both queues to their end through verbs alone; then KEYS-6, fsck and the decoy."""
        self.check_decoy()
        for label in LABELS:
            self._finish(label)
            side = self._sides[label]
            if not side.expected.dead:
                _raise_first(check_finished(side.got))
        self.check_decoy()

    def _finish(self, label: str) -> None:
        if self.state(label).paused:
            self.perform(ops.ResumeQueue(label))
        for group in sorted(self.state(label).paused_groups):
            self.perform(ops.Resume(label, group))
        for group in sorted(self.state(label).limits):
            self.perform(ops.Unlimit(label, group))
        self.advance(MOVE_ON_MS)
        self.perform(ops.Reap(label, 1_000))
        self.perform(ops.Promote(label, 1_000))
        while self.state(label).ring:
            self._finish_some(label)
        for job_id in self.state(label).dead:
            self._perform_if_claimed(ops.Remove(label, job_id))
        # A ghost among the dead is the one thing that verbs leave to fsck (GHOST-1).
        self._perform_if_claimed(ops.Fsck(label, repair=bool(self.state(label).dead)))
        self._perform_if_claimed(ops.Fsck(label))

    def _perform_if_claimed(self, op: ops.QueueOp[Any]) -> None:
        if self.claims(op):
            self.perform(op)

    def _finish_some(self, label: str) -> None:
        claim_many = ops.ClaimMany(label, 10**6, 1_000)
        if self.claims(claim_many):
            served = self.perform(claim_many)
            if served:
                pairs = tuple((job.id, job.token) for job in served)
                self.perform(ops.CompleteMany(label, pairs))
            return
        job = self.perform(ops.Claim(label, 10**6))
        if job:
            self.perform(ops.Complete(label, job.id, job.token))

    def check_decoy(self) -> None:
        """KEYS-1: no verb touches another queue."""
        now = self._harness.snapshot(self._decoy)
        found = snapshot_difference(self._decoy_was, now, Times())
        if found is not None:
            raise Divergence(
                Violation(
                    "KEYS-1", f"another queue: {found.path}", repr(found.expected), repr(found.got)
                )
            )


def _raise_first(violations: Sequence[Violation]) -> None:
    if violations:
        raise Divergence(violations[0])


def _raise_difference(
    op: ops.QueueOp[Any], where: str, found: Difference, before: QueueSnapshot
) -> None:
    clause = clause_of(op, found, before)
    expected, got = repr(found.expected), repr(found.got)
    raise Divergence(Violation(clause, where + found.path, expected, got))


def all_pages(read: Any, op: Any) -> tuple[Any, ...]:
    """The items of every page. A page may be short before the end; the cursor alone ends it."""
    items: list[Any] = []
    cursor = None
    for _ in range(1_000):
        page: Page[Any] = read(replace(op, cursor=cursor))
        items += page.items
        cursor = page.cursor
        if cursor is None:
            return tuple(items)
    raise AssertionError(f"PAGE-1: {op.verb} had no end after 1,000 pages")
