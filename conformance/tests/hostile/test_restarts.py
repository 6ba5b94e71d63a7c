"""HOSTILE-6: servers that are killed and come back, with an append-only file and with nothing."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from echomq_valkey import ValkeyBackend

from echomq_core import Empty, Job, NotApplied, OutcomeUnknown

from ..valkey.faces import Opener
from ..valkey.test_outages import InThread, until
from .conftest import Start

HOUR = 3_600_000


@dataclass
class Acknowledged:
    """What one caller was told before the server was gone."""

    admitted: set[str] = field(default_factory=set)
    claimed: dict[str, int] = field(default_factory=dict)
    completed: set[str] = field(default_factory=set)
    unknown: list[str] = field(default_factory=list)


def work(backend: ValkeyBackend, queue: str, told: Acknowledged, stop: threading.Event) -> None:
    """Admit two, claim one, complete every other, until the first trouble."""
    turn = 0
    while not stop.is_set():
        turn += 1
        try:
            for _ in range(2):
                told.admitted.add(backend.enqueue(queue, f"g{turn % 3}", b"%d" % turn).id)
            job = backend.claim(queue, HOUR)
            assert isinstance(job, Job)
            told.claimed[job.id] = job.token
            if turn % 2:
                told.unknown = [job.id]
                assert backend.complete(queue, job.id, job.token) == "completed"
                told.completed.add(job.id)
                told.unknown = []
        except (NotApplied, OutcomeUnknown):
            return


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, ...]:
    """Options of a server that writes every verb down before it answers."""
    folder = tmp_path / "data"
    folder.mkdir()
    return ("--appendonly", "yes", "--appendfsync", "always", "--dir", str(folder))


def test_hostile_6_an_append_only_file_that_is_always_written_loses_nothing_acknowledged(
    start: Start, files: tuple[str, ...], queue: str
) -> None:
    """Killed under three callers: what was admitted is there, what was claimed is leased, what was
    completed stays done; only what nobody was told may be either way."""
    server, stop = start(*files), threading.Event()
    told = [Acknowledged() for _ in range(3)]
    backends = [ValkeyBackend.from_url(server.url) for _ in told]
    callers = [
        InThread(lambda b=backend, t=one: work(b, queue, t, stop))  # type: ignore[misc]
        for backend, one in zip(backends, told, strict=True)
    ]
    until(lambda: all(len(one.completed) > 20 for one in told), "everybody works")
    server.kill()
    stop.set()
    for caller in callers:
        caller.result()
    for backend in backends:
        backend.close()
    server.restart()

    with ValkeyBackend.from_url(server.url) as backend:
        assert "aof-always" in backend.check().persistence
        state = backend.snapshot(queue)
        assert backend.fsck(queue) == []
        admitted = set[str]().union(*(one.admitted for one in told))
        completed = set[str]().union(*(one.completed for one in told))
        unknown = {job_id for one in told for job_id in one.unknown}
        assert admitted - completed - unknown <= set(state.jobs)
        assert not completed & set(state.jobs)
        assert len(completed) <= state.completed <= len(completed) + len(unknown)
        for one in told:
            for job_id, token in one.claimed.items():
                if job_id not in completed | unknown:
                    assert job_id in state.active
                    assert state.jobs[job_id].attempts == token
                    assert backend.complete(queue, job_id, token) == "completed"


def test_hostile_6_without_persistence_the_queue_is_empty_and_everybody_goes_on(
    start: Start, open_face: Opener, queue: str
) -> None:
    """Old holders are told *gone*, ids go on growing, tokens start anew, consumers are woken."""
    server = start()
    backend, consumer = open_face(server.url), ValkeyBackend.from_url(server.url)
    old = backend.enqueue(queue, "g", b"old").id
    held = backend.claim(queue, HOUR)
    assert isinstance(held, Job)
    backend.limit(queue, "g", 1)
    assert backend.park(queue, 0)
    served: list[Job] = []
    going = InThread(lambda: consume_one(consumer, queue, served))
    server.kill()
    server.restart()

    assert backend.complete(queue, held.id, held.token) == "gone"
    assert backend.snapshot(queue).limits == {}
    new = backend.enqueue(queue, "g", b"new").id
    assert new > old
    going.result()
    (job,) = served
    assert (job.id, job.payload, job.token) == (new, b"new", 1)
    assert backend.complete(queue, held.id, held.token) == "gone"
    assert backend.fsck(queue) == []
    consumer.close()


def consume_one(backend: ValkeyBackend, queue: str, served: list[Job]) -> None:
    while not served:
        try:
            job = backend.claim(queue, HOUR)
            if isinstance(job, Empty):
                backend.park(queue, 5_000)
                continue
            assert backend.complete(queue, job.id, job.token) == "completed"
            served.append(job)
        except (NotApplied, OutcomeUnknown):
            continue
