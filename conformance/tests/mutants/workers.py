"""Each mutant in a process of its own, a few at once, none for longer than it is given.

A mutant may loop for ever, or fill the memory; a process can be ended, whatever it does.
"""

from __future__ import annotations

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Generic, TypeVar

__all__ = ["Ended", "each_in_a_process"]

J = TypeVar("J")
R = TypeVar("R")

MOST_MEMORY = 4 * 1024**3


@dataclass(frozen=True, slots=True)
class Ended(Generic[J, R]):
    """A job and its result; `None` if its process died or ran out of time, as `why` says."""

    job: J
    result: R | None
    why: str
    seconds: float


@dataclass(slots=True)
class _Running(Generic[J]):
    job: J
    process: Any
    started: float


def each_in_a_process(
    jobs: Sequence[J], do: Callable[[J], R], *, at_once: int, limit_s: float
) -> Iterator[Ended[J, R]]:
    """The results as they come in, each job in a fork of this process.

    What a process that is ended leaves in its folder for temporary files goes at the end.
    """
    with tempfile.TemporaryDirectory(prefix="echomq-mutants-") as folder:
        yield from _each(jobs, do, at_once, limit_s, folder)


def _each(
    jobs: Sequence[J], do: Callable[[J], R], at_once: int, limit_s: float, folder: str
) -> Iterator[Ended[J, R]]:
    context = multiprocessing.get_context("fork")
    waiting = list(reversed(jobs))
    running: dict[Connection, _Running[J]] = {}
    while waiting or running:
        while waiting and len(running) < at_once:
            job = waiting.pop()
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_carry_out, args=(do, job, theirs, folder))
            process.start()
            theirs.close()
            running[ours] = _Running(job, process, time.monotonic())
        ready = wait(list(running), timeout=0.2)
        for connection, each in list(running.items()):
            took = time.monotonic() - each.started
            if connection in ready:
                ended = _received(connection, each, took)
            elif took > limit_s:
                ended = Ended(each.job, None, f"ended after {limit_s:.0f} s", took)
            else:
                continue
            del running[connection]
            connection.close()
            each.process.kill()
            each.process.join()
            yield ended


def _received(connection: Connection, each: _Running[J], took: float) -> Ended[J, Any]:
    try:
        fine, answer = connection.recv()
    except EOFError:
        return Ended(each.job, None, "its process died", took)
    return Ended(each.job, answer, "", took) if fine else Ended(each.job, None, answer, took)


def _carry_out(do: Callable[[J], R], job: J, connection: Connection, folder: str) -> None:
    tempfile.tempdir = folder
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        connection.send((True, do(job)))
    except Exception as error:  # noqa: BLE001 - what a mutant raises is for the parent to judge
        connection.send((False, f"{type(error).__name__}: {error}"))
