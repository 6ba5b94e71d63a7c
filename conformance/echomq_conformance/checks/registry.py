"""The list of checks, and what each is given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from echomq_core import FullBackend, QueueSnapshot, mint_job_id
from echomq_core.clauses import CLAUSES

from ..harness import Harness

__all__ = ["CHECKS", "Bench", "Check", "clause", "equal", "refused"]


class Bench:
    """A fresh queue of the target, and the verbs as plain calls whichever face is tested."""

    def __init__(self, harness: Harness) -> None:
        self.harness = harness
        self.queue = harness.fresh_queue()

    @property
    def backend(self) -> FullBackend:
        return self.harness.backend

    def see(self) -> QueueSnapshot:
        return self.harness.snapshot(self.queue)

    def advance(self, ms: int) -> None:
        self.harness.advance([self.queue], ms)

    def lose_row(self, job_id: str) -> None:
        self.harness.lose_row(self.queue, job_id)

    def probe(self, *command: object) -> object:
        """One raw command; only checks of the `wire` profile use it."""
        assert self.harness.target.probe is not None
        return self.harness.target.probe(*command)

    def admit(self, group: str, count: int = 1) -> list[str]:
        """Admit jobs with fresh ids, in byte order."""
        ids = [mint_job_id() for _ in range(count)]
        for job_id in ids:
            self.backend.enqueue(self.queue, group, b"", job_id=job_id)
        return ids


@dataclass(frozen=True, slots=True)
class Check:
    """One named check. It runs on a target that claims all of `profiles`."""

    name: str
    clauses: tuple[str, ...]
    profiles: frozenset[str]
    run: Callable[[Bench], None]
    last: bool = False


CHECKS: list[Check] = []


def clause(
    *ids: str, profiles: Iterable[str] = ("core",), last: bool = False
) -> Callable[[Callable[[Bench], None]], Callable[[Bench], None]]:
    """Register a check of these clauses. The first is the one that its messages begin with.

    `last`: it leaves the backend closed, so it runs after all others.
    """
    strangers = [name for name in ids if name not in CLAUSES]
    if strangers or not ids:
        raise ValueError(f"a check must name clauses of the spec, not {strangers}")

    def register(run: Callable[[Bench], None]) -> Callable[[Bench], None]:
        CHECKS.append(Check(run.__name__, ids, frozenset(profiles) | {"core"}, run, last))
        return run

    return register


def equal(clause_id: str, what: str, expected: object, got: object) -> None:
    """Demand equality; the message begins with the clause."""
    assert expected == got, f"{clause_id}: {what}: expected {expected!r}, got {got!r}"


def refused(clause_id: str, argument: str, call: Callable[[], object]) -> None:
    """Demand `InvalidArgument` that names `argument`, a rule and a remedy."""
    from echomq_core import InvalidArgument

    try:
        answer = call()
    except InvalidArgument as error:
        equal(clause_id, "the argument named", argument, error.argument)
        told = bool(error.rule and error.remedy)
        assert told, f"{clause_id}: {argument} was refused without rule and remedy: {error}"
        wide = isinstance(error, ValueError)
        assert wide, f"{clause_id}: InvalidArgument must be a ValueError too"
        return
    raise AssertionError(f"{clause_id}: {argument} expected a refusal, got the answer {answer!r}")
