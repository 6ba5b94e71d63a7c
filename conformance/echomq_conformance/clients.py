"""Clients that run a program's branches at the same time: threads, tasks, other processes.

Each client has a backend of its own where the target gives one (`Target.peer`), else they share
the run's (CONN-8). The moments of calls and returns are readings of the system's monotonic clock,
which all processes of a machine share.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from time import monotonic_ns
from typing import Any, Protocol

from echomq_core import AsyncBackend, Backend, Job, NotApplied, OutcomeUnknown, ops
from echomq_core.ops import QueueOp

from .encoding import Raised
from .face import arguments
from .history import Recorded
from .ledger import claimed
from .programs import Move, settled
from .target import Clock, Target

__all__ = ["Crew", "Queues", "TaskCrew", "ThreadCrew", "perform", "run_branch"]

Queues = Mapping[str, str]
"""Label → the queue's real name."""

_SWITCH_S = 1e-6
"""Threads take turns as often as the interpreter can, while clients run."""

JOIN_WITHIN_S = 60.0


class Crew(Protocol):
    """Several clients of one opened target."""

    kind: str

    def alone(
        self, moves: Sequence[Move], queues: Queues, now_ms: int
    ) -> tuple[list[Recorded], list[Job]]:
        """Client 0 performs moves one after another; what it did, and the jobs that it claimed."""

    def together(
        self, branches: Sequence[Sequence[Move]], queues: Queues, held: Sequence[Job], now_ms: int
    ) -> list[Recorded]:
        """Clients 1, 2, ... perform a branch each, starting at the same moment."""


def perform(
    backend: Backend, op: QueueOp[Any], queues: Queues, client: int, now_ms: int
) -> Recorded | None:
    """One call and what came of it; `None` for one that surely was not applied."""
    call = getattr(backend, op.verb)
    given = arguments(replace(op, queue=queues[op.queue]))
    called = monotonic_ns()
    try:
        answer = call(**given)
    except OutcomeUnknown:
        return Recorded(client, op, called, None, None, now_ms)
    except NotApplied:
        return _not_applied(op, client, called, now_ms)
    except Exception as error:  # noqa: BLE001 - it becomes the recorded answer, which no order fits
        answer = Raised(repr(error))
    return Recorded(client, op, called, monotonic_ns(), answer, now_ms)


def _not_applied(op: QueueOp[Any], client: int, called: int, now_ms: int) -> Recorded | None:
    """Nothing happened; but of many items the first may have been applied (ERR-midway)."""
    if isinstance(op, ops.EnqueueMany | ops.CompleteMany | ops.ExtendMany):
        return Recorded(client, op, called, None, None, now_ms)
    return None


def run_branch(
    backend: Backend,
    moves: Sequence[Move],
    queues: Queues,
    held: Sequence[Job],
    client: int,
    now_ms: int,
) -> tuple[list[Recorded], list[Job]]:
    """The moves of one client in order."""
    mine, done = list(held), list[Recorded]()
    for move in moves:
        each = perform(backend, settled(move, mine), queues, client, now_ms)
        if each is not None:
            done.append(each)
            mine += _taken(each)
    return done, mine


def _taken(each: Recorded) -> list[Job]:
    return claimed(each.answer) if isinstance(each.op, _CLAIMS) else []


_CLAIMS = ops.Claim | ops.ClaimMany | ops.WClaim | ops.BClaim


class ThreadCrew:
    """Threads of this process over a sync target."""

    kind = "threads"

    def __init__(self, backends: Sequence[Backend]) -> None:
        self._backends = backends

    @classmethod
    @contextmanager
    def of(cls, target: Target, clock: Clock | None, clients: int) -> Iterator[ThreadCrew]:
        with ExitStack() as stack:
            assert target.open is not None
            first = stack.enter_context(target.open(clock))
            backends = [first]
            for _ in range(clients):
                peer = stack.enter_context(target.peer()()) if target.peer is not None else first
                backends.append(peer)
            interval = sys.getswitchinterval()
            stack.callback(sys.setswitchinterval, interval)
            sys.setswitchinterval(_SWITCH_S)
            yield cls(backends)

    def alone(
        self, moves: Sequence[Move], queues: Queues, now_ms: int
    ) -> tuple[list[Recorded], list[Job]]:
        return run_branch(self._backends[0], moves, queues, (), 0, now_ms)

    def together(
        self, branches: Sequence[Sequence[Move]], queues: Queues, held: Sequence[Job], now_ms: int
    ) -> list[Recorded]:
        barrier = threading.Barrier(len(branches))
        done: list[Recorded] = []

        def run(client: int, moves: Sequence[Move]) -> None:
            barrier.wait()
            mine, _ = run_branch(self._backends[client], moves, queues, held, client, now_ms)
            done.extend(mine)

        threads = [
            threading.Thread(target=run, args=(number, moves), daemon=True)
            for number, moves in enumerate(branches, 1)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(JOIN_WITHIN_S)
            if thread.is_alive():
                raise TimeoutError(f"a client did not answer within {JOIN_WITHIN_S:.0f} s")
        return done


class TaskCrew:
    """Tasks of one event loop over an async target."""

    kind = "tasks"

    def __init__(self, backends: Sequence[AsyncBackend], runner: asyncio.Runner) -> None:
        self._backends = backends
        self._runner = runner

    @classmethod
    @contextmanager
    def of(cls, target: Target, clock: Clock | None, clients: int) -> Iterator[TaskCrew]:
        assert target.open_async is not None
        with asyncio.Runner() as runner, ExitStack() as stack:

            def enter(manager: Any) -> AsyncBackend:
                backend: AsyncBackend = runner.run(_enter(manager))
                stack.callback(lambda: runner.run(_leave(manager)))
                return backend

            first = enter(target.open_async(clock))
            make = target.peer_async
            backends = [first]
            backends += [enter(make()()) if make else first for _ in range(clients)]
            yield cls(backends, runner)

    def alone(
        self, moves: Sequence[Move], queues: Queues, now_ms: int
    ) -> tuple[list[Recorded], list[Job]]:
        calm = [replace(move, cancel_after=None) for move in moves]
        return self._runner.run(_run_tasks(self._backends[0], calm, queues, (), 0, now_ms))

    def together(
        self, branches: Sequence[Sequence[Move]], queues: Queues, held: Sequence[Job], now_ms: int
    ) -> list[Recorded]:
        return self._runner.run(self._together(branches, queues, held, now_ms))

    async def _together(
        self, branches: Sequence[Sequence[Move]], queues: Queues, held: Sequence[Job], now_ms: int
    ) -> list[Recorded]:
        outcomes = await asyncio.wait_for(
            asyncio.gather(
                *(
                    _run_tasks(self._backends[number], moves, queues, held, number, now_ms)
                    for number, moves in enumerate(branches, 1)
                )
            ),
            JOIN_WITHIN_S,
        )
        return [each for done, _ in outcomes for each in done]


async def _enter(manager: Any) -> Any:
    return await manager.__aenter__()


async def _leave(manager: Any) -> None:
    await manager.__aexit__(None, None, None)


async def _run_tasks(
    backend: AsyncBackend,
    moves: Sequence[Move],
    queues: Queues,
    held: Sequence[Job],
    client: int,
    now_ms: int,
) -> tuple[list[Recorded], list[Job]]:
    mine, done = list(held), list[Recorded]()
    for move in moves:
        op = settled(move, mine)
        each = await _perform(backend, op, queues, client, now_ms, move.cancel_after)
        if each is not None:
            done.append(each)
            mine += _taken(each)
    return done, mine


async def _perform(
    backend: AsyncBackend,
    op: QueueOp[Any],
    queues: Queues,
    client: int,
    now_ms: int,
    cancel_after: int | None,
) -> Recorded | None:
    """As `perform`. A call that is cancelled before it answered has an unknown outcome (CONN-3)."""
    verb = getattr(backend, op.verb)
    given = arguments(replace(op, queue=queues[op.queue]))
    called = monotonic_ns()
    call = asyncio.ensure_future(verb(**given))
    try:
        if cancel_after is not None:
            for _ in range(cancel_after):
                await asyncio.sleep(0)
            call.cancel()
        answer = await call
    except asyncio.CancelledError:
        if cancel_after is None:
            raise  # it is this client that is being cancelled, not its call
        return Recorded(client, op, called, None, None, now_ms)
    except OutcomeUnknown:
        return Recorded(client, op, called, None, None, now_ms)
    except NotApplied:
        return _not_applied(op, client, called, now_ms)
    except Exception as error:  # noqa: BLE001 - it becomes the recorded answer, which no order fits
        answer = Raised(repr(error))
    return Recorded(client, op, called, monotonic_ns(), answer, now_ms)
