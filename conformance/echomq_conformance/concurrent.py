"""The concurrent check: random programs of several clients, judged by the search (VERB-atomic).

Schedules cannot be replayed, so the recorded history is the proof. A program that failed is made
smaller by leaving moves out and running it again.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from random import Random

from echomq_memory import ManualClock

from echomq_core import ops

from .clients import Crew, TaskCrew, ThreadCrew
from .findings import Budget, Exhibit, Findings
from .harness import START_MS
from .history import History
from .linearize import NODES, Verdict, search
from .oracle import Oracle
from .processes import ProcessCrew
from .programs import AGE_MS, Move, Program, make_program
from .proof import Proof, prove
from .target import Clock, Target
from .timeline import as_svg, as_text

__all__ = ["CLAUSES", "MOST_CLIENTS", "Arena", "Bad", "crews_of", "run_concurrent", "run_programs"]

CLAUSES = ("VERB-atomic", "CONN-8")

MOST_CLIENTS = 4

PROGRAMS: dict[Budget, int] = {"quick": 25, "standard": 150, "long": 2_000}
REPEATS = 10
SHRINK_RERUNS = 30
SHRINK_SECONDS = 15.0

CrewOpener = Callable[[Target, Clock | None, int], AbstractContextManager[Crew]]


def crews_of(target: Target) -> tuple[tuple[str, CrewOpener], ...]:
    """The kinds of clients that a target can have."""
    found: list[tuple[str, CrewOpener]] = []
    if target.open is not None:
        found.append((ThreadCrew.kind, ThreadCrew.of))
    if target.open_async is not None:
        found.append((TaskCrew.kind, TaskCrew.of))
    if "durable" in target.claims:
        found.append((ProcessCrew.kind, ProcessCrew.of))
    return tuple(found)


class Arena:
    """One opened target with its clients: runs programs, each on queues of its own."""

    def __init__(self, target: Target, clock: ManualClock | None, crew: Crew) -> None:
        self._target = target
        self._clock = clock
        self._crew = crew
        self._run = secrets.token_hex(4)
        self._queues = 0

    def play(self, program: Program) -> History:
        """The prefix, time moved, the branches at once, then what the queues came to."""
        labels = program.queues
        queues = {label: self._fresh_queue(label) for label in labels}
        done, held = self._crew.alone(program.prefix, queues, 0)
        self._advance(list(queues.values()))
        done += self._crew.together(program.branches, queues, held, AGE_MS)
        last, _ = self._crew.alone([Move(ops.Snapshot(label)) for label in labels], queues, AGE_MS)
        return History.of(done + last)

    def _fresh_queue(self, label: str) -> str:
        self._queues += 1
        return f"c-{self._run}-{self._queues}-{label}"

    def _advance(self, queues: list[str]) -> None:
        if self._clock is not None:
            self._clock.advance(AGE_MS)
            return
        assert self._target.advance is not None
        for queue in queues:
            self._target.advance(queue, AGE_MS)


@dataclass(frozen=True, slots=True)
class Bad:
    """A history that no order explains, the program that led to it, and why it cannot be."""

    program: Program
    history: History
    proof: Proof


class _Judge:
    """Judges histories of one program after another, and keeps count."""

    def __init__(self, nodes: int) -> None:
        self._most_nodes = nodes
        self.histories = self.operations = self.nodes = self.inconclusive = self.overlaps = 0
        self.unknown = 0
        self._oracles: dict[str, Oracle] = {}

    def forget(self) -> None:
        """Another program begins; its states are others."""
        self._oracles.clear()

    def judge(self, history: History) -> tuple[History, Proof] | None:
        """The part of the history that is out of order, and the proof."""
        self.histories += 1
        self.operations += len(history.operations)
        self.overlaps += history.overlaps()
        self.unknown += sum(not each.known for each in history.operations)
        for label in history.queues:
            part = history.of_queue(label)
            oracle = self._oracles.setdefault(label, Oracle(label))
            judgement = search(part, oracle, nodes=self._most_nodes)
            self.nodes += judgement.nodes
            if judgement.verdict is Verdict.INCONCLUSIVE:
                self.inconclusive += 1
            elif judgement.verdict is Verdict.ILLEGAL:
                proof = prove(part, oracle)
                if proof is not None:
                    return part, proof
        return None


def run_concurrent(target: Target, *, seed: int, budget: Budget = "quick") -> Findings:
    """All kinds of clients that the target can have; a kind ends at its first breach."""
    return run_programs(target, seed=seed, programs=PROGRAMS[budget])


def run_programs(
    target: Target,
    *,
    seed: int,
    programs: int,
    repeats: int = REPEATS,
    branches: int | None = None,
    kinds: tuple[str, ...] | None = None,
    nodes: int = NODES,
) -> Findings:
    """`branches=1` is the sequential run of the same programs; `kinds`: only these clients;
    `nodes`: where a search gives up."""
    judge = _Judge(nodes)
    faults: list[tuple[str, Bad]] = []
    started = time.monotonic()
    asked = [(kind, opener) for kind, opener in crews_of(target) if kinds is None or kind in kinds]
    for kind, opener in asked:
        clock = ManualClock(start_ms=START_MS) if target.advance is None else None
        with opener(target, clock, MOST_CLIENTS) as crew:
            arena = Arena(target, clock, crew)
            made = (
                make_program(Random(f"{seed}-{kind}-{number}"), target.claims, branches=branches)
                for number in range(programs)
            )
            bad = _first_bad(arena, judge, made, repeats)
            if bad is not None:
                faults.append((kind, _shrunk(arena, judge, bad)))
    return _findings(judge, faults, time.monotonic() - started, branches)


def _first_bad(
    arena: Arena, judge: _Judge, programs: Iterator[Program], repeats: int
) -> Bad | None:
    for program in programs:
        judge.forget()
        for _ in range(repeats):
            found = judge.judge(arena.play(program))
            if found is not None:
                return Bad(program, *found)
    return None


def _shrunk(arena: Arena, judge: _Judge, bad: Bad) -> Bad:
    """The smallest program that still failed in one of some reruns, with the history that it left."""
    end = time.monotonic() + SHRINK_SECONDS
    while True:
        for smaller in bad.program.smaller():
            if time.monotonic() > end:
                return bad
            again = _first_bad(arena, judge, iter((smaller,)), SHRINK_RERUNS)
            if again is not None:
                bad = again
                break
        else:
            return bad


def _findings(
    judge: _Judge, faults: list[tuple[str, Bad]], seconds: float, branches: int | None
) -> Findings:
    open_questions = []
    if judge.inconclusive:
        open_questions.append(
            f"VERB-atomic: the search gave up on {judge.inconclusive} of {judge.histories} histories"
        )
    if not judge.overlaps and branches != 1:
        open_questions.append("VERB-atomic: no two operations ran at the same time")
    exhibits = []
    for kind, bad in faults:
        exhibits += [
            Exhibit(f"{kind}-history.json", bad.history.to_json()),
            Exhibit(f"{kind}-timeline.txt", as_text(bad.proof)),
            Exhibit(f"{kind}-timeline.svg", as_svg(bad.proof)),
        ]
    return Findings(
        "concurrent",
        CLAUSES,
        tuple(bad.proof.violation() for _, bad in faults),
        tuple(open_questions),
        bool(judge.inconclusive),
        {
            "histories": judge.histories,
            "operations": judge.operations,
            "overlapping pairs": judge.overlaps,
            "unknown outcomes": judge.unknown,
            "nodes": judge.nodes,
            "inconclusive": judge.inconclusive,
            "seconds": seconds,
            "operations per minute": judge.operations * 60 / seconds if seconds else 0.0,
        },
        tuple(exhibits),
    )
