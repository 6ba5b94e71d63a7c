"""One queue within one transaction: the few moves of chapter 2 that every verb is made of."""

from __future__ import annotations

import sqlite3
from typing import Any

from echomq_core import JobRecord, JobState

__all__ = ["Queue"]

_ROW = "id, grp, state, attempts, payload, last_error, forgiven, lapsed"


class Queue:
    """The rows, places, ring and books of one queue, read and changed by SQL alone."""

    def __init__(self, db: sqlite3.Connection, name: str) -> None:
        self._db = db
        self._name = name

    def run(self, sql: str, *values: Any) -> sqlite3.Cursor:
        """One statement; its first parameter is the queue's name."""
        return self._db.execute(sql, (self._name, *values))

    # --- rows and places (STATE-1, GHOST-1) ---------------------------------------------------

    def row(self, job_id: str) -> JobRecord | None:
        found = self.run(f"SELECT {_ROW} FROM jobs WHERE queue = ? AND id = ?", job_id).fetchone()
        if found is None:
            return None
        job_id, group, state, attempts, payload, last_error, forgiven, lapsed = found
        return JobRecord(
            job_id, group, state, attempts, payload, last_error, forgiven, bool(lapsed)
        )

    def standing(self, job_id: str, state: JobState) -> JobRecord | None:
        """The row of a job that stands where `state` says: row and entry agree (STATE-1)."""
        row = self.row(job_id)
        if row is None or row.state != state:
            return None
        if state == JobState.PENDING:
            entry = "SELECT 1 FROM lanes WHERE queue = ? AND grp = ? AND id = ?"
            found = self.run(entry, row.group, job_id)
        else:
            entry = "SELECT 1 FROM places WHERE queue = ? AND state = ? AND id = ?"
            found = self.run(entry, state, job_id)
        return None if found.fetchone() is None else row

    def write(self, job_id: str, **fields: Any) -> None:
        """Change fields of a row that is there; never makes one (ERR-never)."""
        changes = ", ".join(f"{name} = :{name}" for name in fields)
        self._db.execute(
            f"UPDATE jobs SET {changes} WHERE queue = :queue AND id = :id",
            {"queue": self._name, "id": job_id, **fields},
        )

    def delete(self, job_id: str) -> None:
        self.run("DELETE FROM jobs WHERE queue = ? AND id = ?", job_id)

    def enter_lane(self, job: JobRecord, **fields: Any) -> None:
        """To its group's lane; then RING-3."""
        self.write(job.id, state=JobState.PENDING, **fields)
        self.run("INSERT OR REPLACE INTO lanes VALUES (?, ?, ?)", job.group, job.id)
        self.settle(job.group)

    def leave_lane(self, group: str | None, job_id: str) -> None:
        self.run("DELETE FROM lanes WHERE queue = ? AND grp = ? AND id = ?", group, job_id)

    def enter(self, state: JobState, job: JobRecord, at: int, **fields: Any) -> None:
        """To one of the other places. These are sets: an entry that is there gets the new time."""
        self.write(job.id, state=state, **fields)
        self.run("INSERT OR REPLACE INTO places VALUES (?, ?, ?, ?)", state, job.id, at)

    def leave(self, state: JobState, job_id: str) -> None:
        self.run("DELETE FROM places WHERE queue = ? AND state = ? AND id = ?", state, job_id)

    def enter_schedule(self, job: JobRecord, due_ms: int, **fields: Any) -> None:
        """A new first of the schedule leaves a token (WAKE-4)."""
        self.enter(JobState.SCHEDULED, job, due_ms, **fields)
        first = "SELECT id FROM places WHERE queue = ? AND state = ? ORDER BY at, id LIMIT 1"
        if self.run(first, JobState.SCHEDULED).fetchone() == (job.id,):
            self.leave_token()

    def bury(self, job: JobRecord, error: str) -> None:
        """To `dead`; every such move counts as failed (FIELD-1)."""
        self.enter(JobState.DEAD, job, 0, last_error=error)
        self.count("failed")

    def until(self, state: JobState, now_ms: int, limit: int) -> list[str]:
        """The first entries that are due or expired, by time and then id (CLOCK-1)."""
        found = self.run(
            "SELECT id FROM places WHERE queue = ? AND state = ? AND at <= ? ORDER BY at, id LIMIT ?",
            state,
            now_ms,
            limit,
        )
        return [job_id for (job_id,) in found]

    # --- the ring (RING-1 to RING-3) ----------------------------------------------------------

    def settle(self, group: str | None) -> None:
        """RING-3. Without limits and pauses a lane is serviceable when it is nonempty (RING-1)."""
        entry = "SELECT 1 FROM lanes WHERE queue = ? AND grp = ? LIMIT 1"
        if self.run(entry, group).fetchone() is None:
            self.run("DELETE FROM ring WHERE queue = ? AND grp = ?", group)
            return
        joined = self.run(
            "INSERT OR IGNORE INTO ring SELECT ?, coalesce(max(position), 0) + 1, ?"
            " FROM ring WHERE queue = ?",
            group,
            self._name,
        )
        if joined.rowcount:
            self.leave_token()

    def head(self) -> str | None:
        """The group that is served next."""
        found = self.run(
            "SELECT grp FROM ring WHERE queue = ? ORDER BY position LIMIT 1"
        ).fetchone()
        return None if found is None else str(found[0])

    def turn(self, group: str) -> None:
        """The head goes to the tail (RING-2)."""
        last = self.run("SELECT max(position) FROM ring WHERE queue = ?").fetchone()[0]
        self.run("UPDATE ring SET position = 1 + ?2 WHERE queue = ?1 AND grp = ?3", last, group)

    def first_in_lane(self, group: str) -> str | None:
        oldest = "SELECT id FROM lanes WHERE queue = ? AND grp = ? ORDER BY id LIMIT 1"
        found = self.run(oldest, group).fetchone()
        return None if found is None else str(found[0])

    # --- books, totals, the token (BOOK-1, FIELD-1, WAKE-1) -----------------------------------

    def raise_book(self, group: str | None) -> None:
        self.run(
            "INSERT INTO books VALUES (?, ?, 1)"
            " ON CONFLICT DO UPDATE SET in_flight = in_flight + 1",
            group,
        )

    def lower_book(self, group: str | None) -> None:
        """One standing job less in flight; no row for 0, and never below."""
        self.run("UPDATE books SET in_flight = in_flight - 1 WHERE queue = ? AND grp = ?", group)
        self.run("DELETE FROM books WHERE queue = ? AND grp = ? AND in_flight < 1", group)

    def recount(self) -> None:
        """All books anew from what stands in `active` (BOOK-1)."""
        self.run("DELETE FROM books WHERE queue = ?")
        self.run(
            "INSERT INTO books SELECT queue, grp, count(*) FROM jobs JOIN places USING (queue, id, state)"
            " WHERE queue = ? AND state = ? GROUP BY grp",
            JobState.ACTIVE,
        )

    def count(self, total: str) -> None:
        """One more in a total, `completed` or `failed`."""
        self.run(
            f"INSERT INTO totals (queue, {total}) VALUES (?, 1)"
            f" ON CONFLICT DO UPDATE SET {total} = {total} + 1"
        )

    def leave_token(self) -> None:
        """One token, into an empty list only (WAKE-1)."""
        self.run(
            "INSERT INTO totals (queue, wake) VALUES (?, 1) ON CONFLICT DO UPDATE SET wake = 1"
        )
