"""What is not the kit's business: files, URLs, forks, locks, verbs that are not there."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from echomq_sqlite import SqliteBackend

from echomq_core import (
    InvalidArgument,
    Job,
    NotApplied,
    Unsupported,
    open_async_backend,
    open_backend,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "queues.db"


def test_open_1_a_url_opens_the_file_at_the_first_verb(path: Path) -> None:
    with open_backend(f"sqlite://{path}") as backend:
        assert not path.exists()
        backend.enqueue("q", "g", b"payload")
        assert path.exists()
    with open_backend(f"sqlite://{path}") as backend:
        job = backend.claim("q", 1_000)
        assert isinstance(job, Job)
        assert job.payload == b"payload"


def test_open_1_a_url_without_a_path_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="the path of a file"):
        open_backend("sqlite://")


def test_open_1_there_is_no_async_face() -> None:
    with pytest.raises(InvalidArgument, match="sync only"):
        open_async_backend("sqlite://:memory:")


def test_a_store_in_memory_belongs_to_its_backend_and_warns() -> None:
    with SqliteBackend(":memory:") as one, SqliteBackend(":memory:") as other:
        one.enqueue("q", "g", b"")
        assert (one.depth("q", "g"), other.depth("q", "g")) == (1, 0)
        assert one.check().persistence == "none"
        assert len(one.check().warnings) == 1


def test_a_verb_that_is_not_there_is_unsupported() -> None:
    with SqliteBackend(":memory:") as backend, pytest.raises(Unsupported) as refusal:
        backend.pause("q", "g")
    assert (refusal.value.verb, refusal.value.backend) == ("pause", "SqliteBackend")


def test_a_file_that_cannot_be_opened_is_not_applied(tmp_path: Path) -> None:
    with SqliteBackend(tmp_path) as backend, pytest.raises(NotApplied, match="cannot be opened"):
        backend.depth("q", "g")


def test_a_writer_that_waits_in_vain_is_not_applied(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("echomq_sqlite.backend.BUSY_TIMEOUT_S", 0.01)
    with SqliteBackend(path) as backend:
        backend.enqueue("q", "g", b"")
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            with pytest.raises(NotApplied, match="database is locked"):
                backend.claim("q", 1_000)
            assert backend.depth("q", "g") == 1  # readers do not wait for a writer
        assert backend.claim("q", 1_000)


def test_verb_atomic_a_failure_midway_leaves_nothing(path: Path) -> None:
    with SqliteBackend(path) as backend:
        backend.enqueue("q", "g", b"")
        before = backend.snapshot("q")
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("ALTER TABLE books RENAME TO hidden")
        with pytest.raises(NotApplied, match="rolled back"):
            backend.claim("q", 1_000)
        with closing(sqlite3.connect(path)) as other, other:
            other.execute("ALTER TABLE hidden RENAME TO books")
        after = backend.snapshot("q")
        assert (after.lanes, after.ring, after.active) == (before.lanes, before.ring, before.active)


def test_conn_8_many_threads_share_a_backend(path: Path) -> None:
    served: list[str] = []
    with SqliteBackend(path) as backend:
        admitted = {backend.enqueue("q", f"g{n % 3}", b"").id for n in range(60)}

        def work() -> None:
            while job := backend.claim("q", 60_000):
                assert isinstance(job, Job)
                served.append(job.id)
                backend.complete("q", job.id, job.token)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert (len(served), set(served)) == (60, admitted)
        assert backend.snapshot("q").completed == 60


def _admit(paths: list[Path], barrier: object) -> None:
    for path in paths:
        barrier.wait()  # type: ignore[attr-defined]  # a spawned barrier's type has no public name
        with SqliteBackend(path) as backend:
            backend.enqueue("q", "g", b"")


def test_many_processes_may_make_the_file_at_once(tmp_path: Path) -> None:
    """Twenty files, since SQLite refuses a few of those who come at the very same moment."""
    paths = [tmp_path / f"{number}.db" for number in range(20)]
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(4, timeout=30)
    children = [context.Process(target=_admit, args=(paths, barrier)) for _ in range(4)]
    for child in children:
        child.start()
    for child in children:
        child.join(60)
    assert [child.exitcode for child in children] == [0] * 4
    for path in paths:
        with SqliteBackend(path) as backend:
            assert backend.depth("q", "g") == 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_backend_carried_across_a_fork_says_so(path: Path) -> None:
    with SqliteBackend(path) as backend:
        backend.enqueue("q", "g", b"")
        child = os.fork()
        if child == 0:
            try:
                backend.depth("q", "g")
            except NotApplied as refusal:
                os._exit(0 if "fork" in str(refusal) else 2)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
