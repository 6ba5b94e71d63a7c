"""Many threads at once, each with its result or its error, within a bound."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

BOUND_S = 60


def together(*works: Callable[[], T]) -> list[T]:
    """Start all at one barrier; their results in order. The first error is raised."""
    barrier = threading.Barrier(len(works))

    def started(work: Callable[[], T]) -> T:
        barrier.wait(BOUND_S)
        return work()

    with ThreadPoolExecutor(len(works)) as pool:
        futures = [pool.submit(started, work) for work in works]
        return [future.result(BOUND_S) for future in futures]


def many(n: int, work: Callable[[], T]) -> Sequence[Callable[[], T]]:
    return [work] * n
