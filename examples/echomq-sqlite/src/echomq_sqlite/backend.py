"""The backend: a connection, a lock for this process's threads, and a transaction for each verb."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from echomq_core import (
    InvalidArgument,
    NotApplied,
    OutcomeUnknown,
    Provider,
    ServerInfo,
    Unsupported,
    ops,
)
from echomq_core.verbs import SyncVerbs

from .schema import SCHEMA
from .tables import Queue
from .verbs import VERBS

__all__ = ["SqliteBackend", "provider"]

A = TypeVar("A")

IN_MEMORY = ":memory:"
BUSY_TIMEOUT_S = 30.0


class SqliteBackend(SyncVerbs):
    """Queues in the SQLite file at `path`; `:memory:` keeps them in this object alone.

    Safe for many threads, and for many processes with a backend each. The file is opened at the
    first verb (OPEN-1). `SyncVerbs` makes every verb call a checked operation, so what arrives in
    `_perform` is in order (ARG-refused).
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._closed = False
        self._pid = os.getpid()

    def close(self) -> None:
        """ERR-closed: waits for a verb under way; again and again is fine."""
        with self._lock:
            self._closed = True
            if self._db is not None:
                self._db.close()
                self._db = None

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Check):
            with self._connection(op.verb):
                return cast("A", self._check())
        verb = VERBS.get(cast("type[ops.QueueOp[Any]]", type(op)))
        if verb is None:
            raise Unsupported(op.verb, type(self).__name__)
        with self._connection(op.verb) as db, _transaction(db, op):
            # The clock is read after the wait for the lock: it is the moment of the step (CLOCK-1).
            now_ms = time.time_ns() // 1_000_000
            return cast("A", verb(Queue(db, cast("ops.QueueOp[A]", op).queue), op, now_ms))

    @contextmanager
    def _connection(self, verb: str) -> Iterator[sqlite3.Connection]:
        if self._pid != os.getpid():
            # SQLite forbids a connection, and our lock may be held, across a fork.
            raise NotApplied(
                verb, "this backend was opened before a fork: open one in each process"
            )
        with self._lock:
            if self._closed:
                raise NotApplied(verb, "the backend is closed")
            if self._db is None:
                self._db = self._connect(verb)
            yield self._db

    def _connect(self, verb: str) -> sqlite3.Connection:
        db = None
        try:
            db = sqlite3.connect(
                self._path, timeout=BUSY_TIMEOUT_S, isolation_level=None, check_same_thread=False
            )
            _write_ahead(db)
            db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} COMMIT;")
        except sqlite3.Error as error:
            if db is not None:
                db.close()
            raise NotApplied(verb, f"{self._path} cannot be opened: {error}") from error
        return db

    def _check(self) -> ServerInfo:
        """VERB-check. Nothing is evicted; `scripts` are our transactions."""
        lost = ("jobs live in this process alone and are lost when it ends",)
        in_memory = self._path == IN_MEMORY
        return ServerInfo(
            product="sqlite",
            version=sqlite3.sqlite_version,
            topology="process" if in_memory else "file",
            scripts=True,
            eviction="noeviction",
            persistence="none" if in_memory else "wal",
            warnings=lost if in_memory else (),
        )


def _write_ahead(db: sqlite3.Connection) -> None:
    """To WAL mode. Of many who open a new file at once SQLite refuses some without a wait."""
    end = time.monotonic() + BUSY_TIMEOUT_S
    while True:
        try:
            db.execute("PRAGMA journal_mode = WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
            time.sleep(0.005)
        else:
            return


@contextmanager
def _transaction(db: sqlite3.Connection, op: ops.Op[Any]) -> Iterator[None]:
    """All of a verb or nothing of it (VERB-atomic). Writers of all processes come one by one."""
    try:
        db.execute("BEGIN" if op.reads else "BEGIN IMMEDIATE")
    except sqlite3.Error as error:
        raise NotApplied(op.verb, f"no transaction could begin: {error}") from error
    try:
        yield
    except BaseException as error:
        db.rollback()
        if isinstance(error, sqlite3.Error):
            raise NotApplied(op.verb, f"rolled back: {error}") from error
        raise
    try:
        db.commit()
    except sqlite3.Error as error:
        if db.in_transaction:
            db.rollback()
        raise OutcomeUnknown(op.verb, f"the commit failed: {error}") from error


def _open(url: str) -> SqliteBackend:
    path = url.split("://", 1)[1]
    if not path:
        raise InvalidArgument(
            "url",
            url,
            "a SQLite URL is sqlite:// and the path of a file, or sqlite://:memory:",
            "For example sqlite:///var/lib/app/queues.db",
        )
    return SqliteBackend(path)


provider = Provider(open=_open)
"""What the entry point `sqlite` of the group `echomq.backends` names: a sync backend only."""
