"""Clients in processes of their own: to run a branch each at the same time, or to be killed.

Children come from a fork server, which has imported what they need, where the system has one.
"""

from __future__ import annotations

import multiprocessing as mp
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from time import monotonic_ns, sleep
from types import ModuleType
from typing import Any, cast

from echomq_core import Backend, Job

from .clients import JOIN_WITHIN_S, Queues, run_branch
from .face import Awaited
from .history import History, Recorded
from .programs import Move
from .target import Clock, Target, TargetError

__all__ = ["Peer", "ProcessCrew", "start_child"]

_START_IN_NS = 1_500_000
_SPIN_NS = 200_000


@dataclass(frozen=True, slots=True)
class Peer:
    """How another process opens a backend over the store of this run; it pickles."""

    make: Callable[[], Any]
    asynchronous: bool

    @classmethod
    def of(cls, target: Target) -> Peer:
        """Of a target that is open."""
        if target.peer is not None:
            return cls(target.peer(), asynchronous=False)
        if target.peer_async is not None:
            return cls(target.peer_async(), asynchronous=True)
        raise TargetError(f"{target.name} has no peer: no other process can reach its store")

    @property
    def module(self) -> str:
        """Where the backend comes from: worth importing once, not in every child."""
        made = self.make
        while isinstance(made, partial):
            made = made.func
        return str(getattr(made, "__module__", __name__))

    @contextmanager
    def opened(self) -> Iterator[Backend]:
        """The backend with its verbs as plain calls."""
        if not self.asynchronous:
            with self.make() as backend:
                yield backend
            return
        import asyncio

        manager = self.make()
        with asyncio.Runner() as runner:
            loop = runner.get_loop()
            awaited = loop.run_until_complete(manager.__aenter__())
            try:
                yield cast("Backend", Awaited(awaited, loop))
            finally:
                loop.run_until_complete(manager.__aexit__(None, None, None))


def start_child(
    peer: Peer, run: Callable[..., None], *arguments: object
) -> tuple[Connection, BaseProcess]:
    """Run `run(peer, pipe, *arguments)` in a process of its own: our end of the pipe, the process."""
    ours, theirs = mp.Pipe()
    with _main_left_alone(peer):
        child = _context(peer).Process(target=run, args=(peer, theirs, *arguments), daemon=True)
        child.start()
    theirs.close()
    return ours, child


def _context(peer: Peer) -> Any:
    """A fork server where there is one: the parent may have threads, which a plain fork breaks."""
    if "forkserver" not in mp.get_all_start_methods():
        return mp.get_context("spawn")
    context = mp.get_context("forkserver")
    context.set_forkserver_preload([__name__, peer.module])
    return context


@contextmanager
def _main_left_alone(peer: Peer) -> Iterator[None]:
    """A child would import the program that runs: a test runner, a script without a guard, or none
    that has a file. It needs it only for a peer that is defined there."""
    if peer.module == "__main__":
        yield
        return
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


class ProcessCrew:
    """One process for each client."""

    kind = "processes"

    def __init__(self, first: Backend, pipes: Sequence[Connection]) -> None:
        self._first = first
        self._pipes = pipes

    @classmethod
    @contextmanager
    def of(cls, target: Target, clock: Clock | None, clients: int) -> Iterator[ProcessCrew]:
        from .face import Face

        with (
            Face(target, clock, asynchronous=target.open is None) as face,
            ExitStack() as stack,
        ):
            peer = Peer.of(target)
            pipes = []
            for client in range(1, clients + 1):
                ours, child = start_child(peer, _serve, client)
                stack.callback(_end, ours, child)
                pipes.append(ours)
            yield cls(face.backend, pipes)

    def alone(
        self, moves: Sequence[Move], queues: Queues, now_ms: int
    ) -> tuple[list[Recorded], list[Job]]:
        return run_branch(self._first, moves, queues, (), 0, now_ms)

    def together(
        self, branches: Sequence[Sequence[Move]], queues: Queues, held: Sequence[Job], now_ms: int
    ) -> list[Recorded]:
        busy = self._pipes[: len(branches)]
        start_ns = monotonic_ns() + _START_IN_NS
        for pipe, moves in zip(busy, branches, strict=True):
            pipe.send((tuple(moves), dict(queues), tuple(held), now_ms, start_ns))
        done: list[Recorded] = []
        for pipe in busy:
            if not pipe.poll(JOIN_WITHIN_S):
                raise TimeoutError(f"a client did not answer within {JOIN_WITHIN_S:.0f} s")
            done += History.from_json(pipe.recv()).operations
        return done


def _end(pipe: Connection, child: BaseProcess) -> None:
    """Its pipe closes, and a child whose pipe closed ends."""
    pipe.close()
    child.join(JOIN_WITHIN_S)
    if child.is_alive():
        child.kill()
        child.join()


def _serve(peer: Peer, pipe: Connection, client: int) -> None:
    """Run branches until the parent closes the pipe."""
    with peer.opened() as backend:
        while True:
            try:
                task: tuple[tuple[Move, ...], Mapping[str, str], tuple[Job, ...], int, int]
                task = pipe.recv()
            except EOFError:
                return
            moves, queues, held, now_ms, start_ns = task
            _wait_until(start_ns)
            done, _ = run_branch(backend, moves, queues, held, client, now_ms)
            # As JSON: an answer may be of a kind that does not pickle.
            pipe.send(History(tuple(done)).to_json())


def _wait_until(start_ns: int) -> None:
    """Most of it asleep, the end awake: all clients start within microseconds."""
    left = start_ns - monotonic_ns() - _SPIN_NS
    if left > 0:
        sleep(left / 1e9)
    while monotonic_ns() < start_ns:
        pass
