"""The oracle judged in every state of a world: each predicate, each step, and a way to the end.

None of this looks at a backend. It is what makes the oracle fit to judge one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from echomq_memory import QueueModel
from echomq_memory.frozen import FrozenQueue

from echomq_core import QueueSnapshot, ops

from ..ledger import Ledger, ghosts, stands
from ..predicates import Violation, check_snapshot
from ..script import LoseRow, Perform, ScriptStep
from ..transitions import Step, check_step
from .canonical import NOW_MS, canonical, is_finished
from .choices import QUEUE, Choice, Do, PassTime, Token
from .graph import NOWHERE, Graph, Taken, carry_out, explore
from .worlds import World

__all__ = ["Fault", "Judge", "Proof", "dead_ends", "prove", "sample"]


@dataclass(frozen=True, slots=True)
class Fault:
    """A state of the model, the steps taken from it, and what is wrong after them."""

    state: int
    steps: tuple[ScriptStep, ...]
    violation: Violation


class _EnoughError(Exception):
    """There are faults enough."""


@dataclass(slots=True)
class Judge:
    """Hears of every step of an exploration and keeps its faults. Raises `_EnoughError` after
    `most`: a wrong model may have states without end."""

    loses_rows: bool
    model_class: type[QueueModel] = QueueModel
    most: int = 20
    faults: list[Fault] = field(default_factory=list)
    steps: int = 0
    _state: int = -1
    _before: QueueSnapshot | None = None

    def __call__(self, taken: Taken) -> None:
        self.steps += 1
        if taken.number != self._state or self._before is None:
            self._state = taken.number
            self._before = self._snapshot(taken.before, NOW_MS)
            self._accuse(taken, self._as_fsck_sees_it(taken.before))
            self._accuse(taken, check_snapshot(self._before, ledger_of(self._before)))
        if taken.after == taken.before:
            self._judge_still(taken, self._before)
        else:
            self._judge_change(taken, self._before)

    def _judge_still(self, taken: Taken, before: QueueSnapshot) -> None:
        """Nothing changed: right if the answer says so, too."""
        for step in taken.steps:
            if isinstance(step, Perform) and not step.op.reads:
                ledger = Ledger()
                ledger.record(step.op, taken.answer, before)
                self._accuse(taken, check_step(Step(step.op, taken.answer, before, before)))
                if (ledger.standing, ledger.completed, ledger.failed) != (0, 0, 0):
                    self._accuse(taken, check_snapshot(before, _recorded(taken, before)))

    def _judge_change(self, taken: Taken, before: QueueSnapshot) -> None:
        after = self._snapshot(taken.after, taken.now_ms)
        violations: list[Violation] = []
        for step in taken.steps:
            if isinstance(step, Perform):
                violations += check_step(Step(step.op, taken.answer, before, after))
        self._accuse(taken, violations + check_snapshot(after, _recorded(taken, before)))

    def _accuse(self, taken: Taken, violations: Sequence[Violation]) -> None:
        self.faults += [Fault(taken.number, taken.steps, found) for found in violations[:1]]
        if len(self.faults) >= self.most:
            raise _EnoughError

    def _snapshot(self, queue: FrozenQueue, now_ms: int) -> QueueSnapshot:
        return self.model_class.thaw(queue).apply(ops.Snapshot(QUEUE), now_ms)

    def _as_fsck_sees_it(self, queue: FrozenQueue) -> list[Violation]:
        """A state that verbs alone have made shows `fsck` nothing; one with lost rows, ghosts and
        what BOOK-1 allows for them."""
        breaches = self.model_class.thaw(queue).apply(ops.Fsck(QUEUE), NOW_MS)
        allowed = {"GHOST-1", "BOOK-1"} if self.loses_rows else set()
        return [
            Violation(found.clause, found.key, found.expected, found.found)
            for found in breaches
            if found.clause not in allowed
        ]


def _recorded(taken: Taken, before: QueueSnapshot) -> Ledger:
    """What a ledger says after the step."""
    ledger = ledger_of(before)
    for step in taken.steps:
        match step:
            case Perform(op):
                ledger.record(op, taken.answer, before)
            case LoseRow(_, job_id):
                ledger.lose(before, job_id)
            case _:
                pass
    return ledger


def ledger_of(snapshot: QueueSnapshot) -> Ledger:
    """The ledger of a queue that is right so far: a step from here is judged by what it adds."""
    ledger = Ledger()
    ledger.completed, ledger.failed = snapshot.completed, snapshot.failed
    ledger.admitted = len(snapshot.jobs) + snapshot.completed
    ledger.ghosts = ghosts(snapshot)
    ledger.unnoticed.update(snapshot.in_flight)
    for job_id, record in snapshot.jobs.items():
        if record.group is not None and stands(snapshot, ("active", "", job_id)):
            ledger.unnoticed[record.group] -= 1
    return ledger


# --- a fair finish ----------------------------------------------------------------------------


def dead_ends(graph: Graph) -> list[int]:
    """The states from which the plain consumer does not reach the end, though all holds are lifted.

    It takes, again and again, the first of these that changes anything: resume and unlimit, sweep,
    settle, claim, let time pass, send the dead back, repair. Dead jobs are an end where the world
    cannot send them back.
    """
    order = _finishing(graph.world.choices)
    dead_may_stay = not any(_is(choice, ops.Reprocess) for choice in graph.world.choices)
    ends: dict[int, bool] = {}
    for start in range(len(graph.states)):
        path: list[int] = []
        state, on_path = start, set[int]()
        while state not in ends and state not in on_path:
            path.append(state)
            on_path.add(state)
            if _is_end(graph.states[state], dead_may_stay):
                ends[state] = True
                break
            row = graph.leads[state]
            state = next((row[c] for c in order if row[c] not in (NOWHERE, state)), state)
        outcome = ends.get(state, False)
        ends.update(dict.fromkeys(path, outcome))
    return [state for state, ended in ends.items() if not ended]


def _is_end(queue: FrozenQueue, dead_may_stay: bool) -> bool:
    if is_finished(queue):
        return True
    stays = dead_may_stay and not (queue.lanes or queue.ring or queue.active or queue.in_flight)
    return stays and not queue.schedule and len(queue.rows) == len(queue.dead)


def _finishing(choices: Sequence[Choice]) -> list[int]:
    """The choices of the plain consumer, by rank."""
    ranked = [(_rank(choice), index) for index, choice in enumerate(choices)]
    return [index for rank, index in sorted(ranked) if rank < _NEVER]


_NEVER = 99


def _rank(choice: Choice) -> int:
    match choice:
        case Do(op=ops.ResumeQueue() | ops.Resume() | ops.Unlimit()):
            return 0
        case Do(op=ops.Reap(max_attempts=None) | ops.Promote()):
            return 1
        case Do(op=ops.Complete(), token=Token.RIGHT):
            return 2
        case Do(op=ops.Claim()):
            return 3
        case PassTime():
            return 4
        case Do(op=ops.Reprocess()):
            return 5
        case Do(op=ops.Fsck(repair=True)):
            return 6
        case _:
            return _NEVER


def _is(choice: Choice, kind: type[Any]) -> bool:
    return isinstance(choice, Do) and isinstance(choice.op, kind)


@dataclass(frozen=True, slots=True)
class Proof:
    """What was found in a whole world: its graph, absent where the faults ended the exploration."""

    graph: Graph | None
    faults: tuple[Fault, ...]


def prove(world: World, *, model_class: type[QueueModel] = QueueModel, most: int = 20) -> Proof:
    """Explore a world with every step judged; then every state that is a dead end is a fault, too.
    After `most` faults nothing more is looked at."""
    judge = Judge(world.loses_rows, model_class, most)
    try:
        graph = explore(world, judge=judge, model_class=model_class)
    except _EnoughError:
        return Proof(None, tuple(judge.faults))
    stuck = [_dead_end(state) for state in dead_ends(graph)[: judge.most]]
    return Proof(graph, (*judge.faults, *stuck))


def _dead_end(state: int) -> Fault:
    clause, where = "KEYS-6", f"state {state}"
    return Fault(state, (), Violation(clause, where, "a way to a finished queue", "a dead end"))


# --- worlds too large for that ----------------------------------------------------------------


def sample(
    world: World, *, seed: int, steps: int, model_class: type[QueueModel] = QueueModel
) -> tuple[list[Fault], int]:
    """Random walks with every step judged, each brought to its end: faults, and steps taken.

    The states of a fault are numbered in the order of the walks.
    """
    random, judge = Random(seed), Judge(world.loses_rows, model_class)
    number, stuck = 0, list[Fault]()
    while judge.steps < steps:
        here = canonical(model_class(QUEUE).freeze(), NOW_MS, world.told_attempts)
        for _ in range(_SAMPLE_WALK):
            choice = random.choice(world.choices)
            taken = _take(model_class, number, here, choice)
            if taken is None:
                continue
            try:
                judge(taken)
            except _EnoughError:
                return judge.faults, judge.steps
            here = canonical(taken.after, taken.now_ms, world.told_attempts)
            number += 1
            if judge.steps == steps:
                break
        if not _can_finish(model_class, world, here):
            stuck.append(_dead_end(number))
    return judge.faults + stuck, judge.steps


_SAMPLE_WALK = 100


def _take(
    model_class: type[QueueModel], number: int, here: FrozenQueue, choice: Choice
) -> Taken | None:
    model = model_class.thaw(here)
    steps = choice.steps(model.state.rows, 0)
    if steps is None:
        return None
    answer, now_ms = carry_out(model, steps, NOW_MS)
    return Taken(number, here, steps, answer, model.freeze(), now_ms)


def _can_finish(model_class: type[QueueModel], world: World, here: FrozenQueue) -> bool:
    """Whether the plain consumer comes to an end from here; it never passes a state twice."""
    order = [world.choices[index] for index in _finishing(world.choices)]
    seen: set[FrozenQueue] = set()
    while not is_finished(here):
        seen.add(here)
        for choice in order:
            taken = _take(model_class, 0, here, choice)
            assert taken is not None
            there = canonical(taken.after, taken.now_ms, world.told_attempts)
            if there != here:
                break
        else:
            return False
        if there in seen:
            return False
        here = there
    return True
