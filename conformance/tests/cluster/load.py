"""Producers and consumers that go on after every trouble, and a ledger of what they were told."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

from echomq_core import (
    ConnectionTrouble,
    FullBackend,
    Job,
    NotApplied,
    TooFewReplicas,
    mint_job_id,
)

from .waiting import until

__all__ = ["Load", "Told"]

LEASE_MS = 1_000_000
JOIN_S = 60.0


@dataclass
class Told:
    """What the callers know: times are monotonic seconds, of the answer."""

    admitted: dict[str, float] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    claimed: set[str] = field(default_factory=set)
    completed: dict[str, float] = field(default_factory=dict)
    maybe_completed: set[str] = field(default_factory=set)
    troubles: list[tuple[float, ConnectionTrouble]] = field(default_factory=list)


class Load:
    """Two producers and two consumers on one queue, each in a thread, until the end of `with`."""

    def __init__(self, backend: FullBackend, queue: str, *, most_jobs: int = 20_000) -> None:
        self._backend = backend
        self._queue = queue
        self._left = threading.Semaphore(most_jobs)
        self._stop = threading.Event()
        self._pool = ThreadPoolExecutor(4)
        self._running: list[Future[None]] = []
        self.told = Told()

    def __enter__(self) -> Self:
        works = (self._produce, self._produce, self._consume, self._consume)
        self._running = [self._pool.submit(work) for work in works]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        for running in self._running:
            running.result(JOIN_S)
        self._pool.shutdown()

    def go_on(self, jobs: int) -> None:
        """Wait until so many more jobs are completed."""
        enough = len(self.told.completed) + jobs
        until(lambda: len(self.told.completed) >= enough, f"{jobs} more jobs are completed")

    def _produce(self) -> None:
        number = 0
        while not self._stop.is_set() and self._left.acquire(blocking=False):
            number += 1
            job_id = mint_job_id()
            try:
                self._backend.enqueue(self._queue, f"g{number % 5}", b"1", job_id=job_id)
            except ConnectionTrouble as trouble:
                self._note(trouble)
                if not isinstance(trouble, NotApplied):
                    self.told.unsure.add(job_id)
            else:
                self.told.admitted[job_id] = time.monotonic()

    def _consume(self) -> None:
        while not self._stop.is_set():
            try:
                job = self._backend.claim(self._queue, LEASE_MS)
                if not isinstance(job, Job):
                    self._backend.park(self._queue, 100)
                    continue
            except ConnectionTrouble as trouble:
                self._note(trouble)
                continue
            self.told.claimed.add(job.id)
            self._settle(job)

    def _settle(self, job: Job) -> None:
        """Once, whatever comes of it: a settle of unknown outcome is not sent again."""
        try:
            if self._backend.complete(self._queue, job.id, job.token) == "completed":
                self.told.completed[job.id] = time.monotonic()
        except ConnectionTrouble as trouble:
            self._note(trouble)
            self.told.maybe_completed.add(job.id)

    def _note(self, trouble: ConnectionTrouble) -> None:
        self.told.troubles.append((time.monotonic(), trouble))
        if isinstance(trouble, NotApplied) and not isinstance(trouble, TooFewReplicas):
            self._stop.wait(0.002)
