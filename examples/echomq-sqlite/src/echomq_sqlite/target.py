"""What the conformance kit is given: how to open, age and damage a store of its own."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from echomq_conformance.target import Clock, Target

from echomq_core import Backend

from . import __version__
from .backend import SqliteBackend

__all__ = ["make_target"]


class _File:
    """The database file of one run, and the kit's back door to it."""

    def __init__(self) -> None:
        self._path = Path()

    @contextmanager
    def open(self, clock: Clock | None) -> Iterator[Backend]:
        with TemporaryDirectory() as folder:
            self._path = Path(folder) / "queues.db"
            with SqliteBackend(self._path) as backend:
                backend.check()  # makes the tables that the back door writes to
                yield backend

    def peer(self) -> Callable[[], AbstractContextManager[Backend]]:
        """Another client of the file; it pickles, so other processes can be one (`durable`)."""
        return partial(SqliteBackend, str(self._path))

    def advance(self, queue: str, ms: int) -> None:
        """Ageing: every deadline and due time moves into the past."""
        self._write("UPDATE places SET at = at - ? WHERE queue = ? AND state != 'dead'", ms, queue)

    def lose_row(self, queue: str, job_id: str) -> None:
        self._write("DELETE FROM jobs WHERE queue = ? AND id = ?", queue, job_id)

    def _write(self, sql: str, *values: object) -> None:
        with closing(sqlite3.connect(self._path, timeout=30.0)) as db, db:
            db.execute(sql, values)


def make_target() -> Target:
    """`SqliteBackend` on a file of its own."""
    file = _File()
    return Target(
        name="sqlite",
        version=__version__,
        claims=frozenset({"core", "bulk", "concurrent", "durable"}),
        open=file.open,
        peer=file.peer,
        advance=file.advance,
        lose_row=file.lose_row,
    )
