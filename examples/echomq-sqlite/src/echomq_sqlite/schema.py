"""The tables. Rows of jobs and entries of places are apart, since either may be lost (GHOST-1).

Text compares as bytes in SQLite, so an index over ids is service order (KEYS-4).
"""

SCHEMA = """
-- The rows (WIRE-1 names the fields).
CREATE TABLE IF NOT EXISTS jobs (
    queue TEXT NOT NULL, id TEXT NOT NULL, grp TEXT NOT NULL, state TEXT NOT NULL,
    attempts INTEGER NOT NULL, payload BLOB NOT NULL, last_error TEXT,
    forgiven INTEGER NOT NULL DEFAULT 0, lapsed INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (queue, id)
);

-- A lane: the ids pending for one group.
CREATE TABLE IF NOT EXISTS lanes (
    queue TEXT NOT NULL, grp TEXT NOT NULL, id TEXT NOT NULL,
    PRIMARY KEY (queue, grp, id)
) WITHOUT ROWID;

-- The other three places, named by the state of their rows. `at` is a lease's deadline or a due time.
CREATE TABLE IF NOT EXISTS places (
    queue TEXT NOT NULL, state TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL,
    PRIMARY KEY (queue, state, id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS by_time ON places (queue, state, at, id);

-- The ring: the smallest position is the head, and a group is there once (RING-1).
CREATE TABLE IF NOT EXISTS ring (
    queue TEXT NOT NULL, position INTEGER NOT NULL, grp TEXT NOT NULL,
    PRIMARY KEY (queue, position), UNIQUE (queue, grp)
) WITHOUT ROWID;

-- The book of what is in flight; no row for 0 (BOOK-1, KEYS-6).
CREATE TABLE IF NOT EXISTS books (
    queue TEXT NOT NULL, grp TEXT NOT NULL, in_flight INTEGER NOT NULL,
    PRIMARY KEY (queue, grp)
) WITHOUT ROWID;

-- What a queue keeps when it is done: its totals, and whether a wake token waits (WAKE-1).
CREATE TABLE IF NOT EXISTS totals (
    queue TEXT NOT NULL PRIMARY KEY,
    completed INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    wake INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID;
"""
