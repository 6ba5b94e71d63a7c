"""Clients that are killed: whatever the moment, the lease brings every job back (LOOP-7).

For each life and each of its steps a process is started and ended by SIGKILL: before the step, or
while its call is under way. Then the lease passes (aged, not slept), a survivor sweeps and serves,
and every job must be done, exactly once, from its own lane, with the books in order.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from random import Random
from typing import Any

from echomq_core import Empty, QueueSnapshot, encode_id, ops
from echomq_core.ops import QueueOp

from .doomed import LIVES, QUEUE, Life, live
from .encoding import Raised, decode_op
from .findings import Budget, Findings
from .harness import Harness
from .history import History
from .ledger import Ledger, claimed
from .predicates import Violation, check_finished, check_snapshot
from .processes import Peer, start_child
from .target import Target

__all__ = ["CLAUSES", "run_death"]

CLAUSES = ("LOOP-7", "STATE-2", "BOOK-1", "RING-1", "KEYS-6")

MIDWAY: dict[Budget, int] = {"quick": 1, "standard": 3, "long": 100}
"""How often a client is killed while a call is under way, for each call of each life."""

_LATEST_KILL_S = 0.003
_ANSWER_WITHIN_S = 60.0
_PAST_ALL_LEASES_MS = 10**9
_MOST_ROUNDS = 200


def run_death(target: Target, *, seed: int, budget: Budget = "quick") -> Findings:
    """Every life of the target's profiles, every kill point. A life ends at its first breach."""
    if target.advance is None:
        question = "LOOP-7: leases cannot be aged for other processes: the target has no `advance`"
        return Findings("death", CLAUSES, open_questions=(question,))
    random = Random(f"{seed}-death")
    violations: list[Violation] = []
    kills = midway = applied = 0
    started = time.monotonic()
    with Harness(target, asynchronous=target.open is None) as harness:
        peer = Peer.of(target)
        for life in LIVES:
            if not life.profiles <= target.claims:
                continue
            for kill in _kills(life, random, MIDWAY[budget]):
                aftermath = _Aftermath(harness, life, kill)
                try:
                    aftermath.happen(peer)
                except _Lost as lost:
                    violations.append(lost.violation)
                    break
                kills += 1
                midway += kill.midway
                applied += aftermath.applied
    return Findings(
        "death",
        CLAUSES,
        tuple(violations),
        () if kills or violations else ("LOOP-7: nobody was killed",),
        statistics={
            "kills": kills,
            "midway": midway,
            "midway and applied": applied,
            "seconds": time.monotonic() - started,
        },
    )


@dataclass(frozen=True, slots=True)
class _Kill:
    """`midway`: the step is let go, and the kill comes `after_s` later."""

    step: int
    midway: bool = False
    after_s: float = 0.0


def _kills(life: Life, random: Random, midway: int) -> Iterator[_Kill]:
    for step in range(len(life.moves) + 1):
        yield _Kill(step)
    for step, move in enumerate(life.moves):
        for _ in range(midway if move is not None else 0):
            yield _Kill(step, True, random.uniform(0.0, _LATEST_KILL_S))


_Death = tuple[set[str], QueueOp[Any] | None, QueueSnapshot]
"""The ids that must be active, but for what the call that was cut off did; that call; the queue
before it."""


class _Lost(Exception):
    """The first breach after one death."""

    def __init__(self, violation: Violation) -> None:
        super().__init__(str(violation))
        self.violation = violation


class _Aftermath:
    """One queue, one client that dies in it, one survivor. `ledger` counts what is known."""

    def __init__(self, harness: Harness, life: Life, kill: _Kill) -> None:
        self._harness = harness
        self._life = life
        self._kill = kill
        self._queue = harness.fresh_queue("death")
        self._last = self._look()
        self._ledger = Ledger()
        self._groups: dict[str, str] = {}
        self.applied = 0
        """1 if the call that the kill cut off had taken effect."""

    def happen(self, peer: Peer) -> None:
        """Furnish, let it die, check; raises `_Lost`."""
        self._furnish()
        held, cut_off, before = self._die(peer)
        after = self._quiet()
        if cut_off is not None:
            self._resolve(cut_off, after)
            self.applied = int(replace(after, now_ms=before.now_ms) != before)
        self._demand_all(check_snapshot(after, self._ledger))
        if cut_off is None:
            self._demand(set(after.active) == held, "active", sorted(held), sorted(after.active))
        self._harness.advance([self._queue], _PAST_ALL_LEASES_MS)
        self._sweep()
        self._serve()

    # --- before -------------------------------------------------------------------------------

    def _furnish(self) -> None:
        """Three lanes, one of them with a ceiling; an expired lease; a job that is due."""
        ids = [encode_id("JOB", number) for number in range(10, 18)]
        if "control" in self._harness.target.claims:
            self._do(ops.Limit(QUEUE, "g", 2))
            self._do(ops.Weight(QUEUE, "g", 3))
        self._admit("h", ids[7])
        self._do(ops.Claim(QUEUE, 1_000))
        self._do(ops.Enqueue(QUEUE, "k", b"later", ids[6], delay_ms=1_000))
        self._groups[ids[6]] = "k"
        self._harness.advance([self._queue], 100_000)
        for group, job_id in zip("gghgkh", ids, strict=False):
            self._admit(group, job_id)

    def _admit(self, group: str, job_id: str) -> None:
        self._do(ops.Enqueue(QUEUE, group, b"work", job_id))
        self._groups[job_id] = group

    # --- the death ----------------------------------------------------------------------------

    def _die(self, peer: Peer) -> _Death:
        """Start the client and end it at its kill point."""
        ours, child = start_child(peer, live, self._queue, self._life.moves)
        try:
            return self._watch(ours, child)
        finally:
            child.kill()
            child.join()
            ours.close()

    def _watch(self, pipe: Connection, child: BaseProcess) -> _Death:
        held = set(self._last.active)
        while True:
            before = self._look()
            number, call = _heard(pipe, "before").split(" ", 1)
            op = None if call == "null" else decode_op(json.loads(call))
            if int(number) == self._kill.step:
                if self._kill.midway:
                    pipe.send("go")
                    _spin(self._kill.after_s)
                child.kill()
                child.join()
                return held, op if self._kill.midway else None, before
            pipe.send("go")
            if op is not None:
                done = History.from_json(_heard(pipe, "did")).operations
                for each in done:
                    self._take_in(each.op, each.answer, before)
                    self._follow(held, each.op, each.answer)

    def _follow(self, held: set[str], op: QueueOp[Any], answer: Any) -> None:
        """Who holds what, from answers alone."""
        held |= {job.id for job in claimed(answer)}
        match op:
            case ops.Complete() | ops.Retry() | ops.Release() if answer not in ("gone", "stale"):
                held.discard(op.job_id)
            case ops.CompleteMany():
                held -= {
                    job_id
                    for (job_id, _), verdict in zip(op.pairs, answer, strict=True)
                    if verdict == "completed"
                }
            case ops.Reap():
                held.clear()  # of all leases only the furnished one has expired
            case _:
                pass

    def _resolve(self, op: QueueOp[Any], after: QueueSnapshot) -> None:
        """Whether the call that was cut off took effect: its totals tell, and must be possible."""
        done = after.completed - self._ledger.completed
        settles = len(op.pairs) if isinstance(op, ops.CompleteMany) else 1
        most = settles if isinstance(op, ops.Complete | ops.CompleteMany) else 0
        self._demand(0 <= done <= most, "completed by the call cut off", f"0 to {most}", done)
        self._ledger.completed += done
        new: list[tuple[str, str]] = []
        if isinstance(op, ops.Enqueue) and op.job_id is not None:
            new = [(op.job_id, op.group)]
        elif isinstance(op, ops.EnqueueMany):
            new = [(item.job_id, item.group) for item in op.items if item.job_id is not None]
        for job_id, group in new:
            if job_id in after.jobs:
                self._ledger.admitted += 1
                self._groups[job_id] = group

    def _quiet(self) -> QueueSnapshot:
        """The queue once nothing moves: a dead client's last request may still be on its way."""
        was = self._look()
        for _ in range(_MOST_ROUNDS):
            now = self._look()
            if replace(now, now_ms=was.now_ms) == was:
                return now
            was = now
        raise self._lost("LOOP-7", "the queue of a dead client", "to come to rest", "it changes")

    # --- after --------------------------------------------------------------------------------

    def _sweep(self) -> None:
        """All leases are over: what was held goes back to its own lanes, exactly once each."""
        active = self._look().active
        back = self._until_done(ops.Reap(QUEUE, 2))
        self._demand(back == len(active), "jobs returned by reap", len(active), back)
        self._until_done(ops.Promote(QUEUE, 2))
        now = self._last
        where = {job_id: group for group, ids in now.lanes.items() for job_id in ids}
        times = Counter(job_id for ids in now.lanes.values() for job_id in ids)
        own = {job_id: group for job_id, group in self._groups.items() if job_id in where}
        self._demand(where == own, "jobs in lanes", own, where)
        twice = sorted(job_id for job_id, n in times.items() if n > 1)
        self._demand(not twice, "jobs in two lanes", [], twice)
        done = len(self._groups) - len(where)
        self._demand(now.completed == done, "jobs neither in a lane nor done", done, now.completed)

    def _until_done(self, op: ops.Reap | ops.Promote) -> int:
        total = 0
        for _ in range(_MOST_ROUNDS):
            swept = self._do(op)
            total += int(swept.returned)
            if swept.total < op.limit:
                return total
        raise self._lost("VERB-reap", f"{op.verb} again and again", "an end", "none")

    def _serve(self) -> None:
        """The survivor does all that is left, each job once; then nothing remains."""
        left = Counter(self._last.jobs)
        served: Counter[str] = Counter()
        for _ in range(_MOST_ROUNDS):
            job = self._do(ops.Claim(QUEUE, 10**12))
            if isinstance(job, Empty):
                break
            served[job.id] += 1
            own = self._groups.get(job.id)
            self._demand(job.group == own, f"lane of {job.id}", own, job.group)
            verdict = self._do(ops.Complete(QUEUE, job.id, job.token))
            self._demand(verdict == "completed", f"complete of {job.id}", "completed", verdict)
        self._demand(
            set(served) == set(left) and max(served.values(), default=1) == 1,
            "jobs served by the survivor",
            f"{sorted(left)}, once each",
            dict(served),
        )
        self._demand_all(check_finished(self._last))
        if "control" in self._harness.target.claims:
            breaches = self._harness.perform(ops.Fsck(self._queue))
            self._demand(breaches == [], "fsck at the end", [], breaches)

    # --- calls and demands --------------------------------------------------------------------

    def _do(self, op: QueueOp[Any]) -> Any:
        """One call of the survivor, counted; every predicate must hold after it."""
        answer = self._harness.perform(replace(op, queue=self._queue))
        self._take_in(op, answer, self._last)
        self._demand_all(check_snapshot(self._look(), self._ledger))
        return answer

    def _look(self) -> QueueSnapshot:
        self._last = self._harness.snapshot(self._queue)
        return self._last

    def _take_in(self, op: QueueOp[Any], answer: Any, before: QueueSnapshot) -> None:
        if isinstance(answer, Raised):
            raise self._lost(f"VERB-{op.verb}", op.verb, "an answer", str(answer))
        self._ledger.record(op, answer, before)
        if isinstance(op, ops.Enqueue) and op.job_id is not None:
            self._groups[op.job_id] = op.group
        elif isinstance(op, ops.EnqueueMany):
            self._groups |= {str(item.job_id): item.group for item in op.items}

    def _demand(self, holds: bool, where: str, expected: object, found: object) -> None:
        if not holds:
            raise self._lost("LOOP-7", where, str(expected), str(found))

    def _demand_all(self, violations: list[Violation]) -> None:
        for violation in violations:
            raise self._lost(violation.clause, violation.where, violation.expected, violation.found)

    def _lost(self, clause: str, where: str, expected: str, found: str) -> _Lost:
        how = "in" if self._kill.midway else "before"
        when = f"client of life {self._life.name!r} killed {how} {self._step()}"
        return _Lost(Violation(clause, f"{when}: {where}", expected, found))

    def _step(self) -> str:
        return f"step {self._kill.step} ({self._life.step_name(self._kill.step)})"


def _heard(pipe: Connection, kind: str) -> str:
    """The next message of the client. Raises `RuntimeError` if it says or does something else."""
    if not pipe.poll(_ANSWER_WITHIN_S):
        raise RuntimeError(f"the client said nothing for {_ANSWER_WITHIN_S:.0f} s")
    try:
        said, _, rest = str(pipe.recv()).partition(" ")
    except EOFError as gone:
        raise RuntimeError("the client ended by itself; its error is on stderr") from gone
    if said != kind:
        raise RuntimeError(f"the client said {said!r} where {kind!r} was due")
    return rest


def _spin(seconds: float) -> None:
    """So short a time cannot be slept."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass
