"""Mutants of the memory model: what operators do, waking, reads, repair, and the faces."""

from __future__ import annotations

from .mutant import Edit, Mutant

__all__ = ["MUTANTS"]


def _model(name: str, clause: str, file: str, old: str, new: str) -> Mutant:
    return Mutant(f"model-{name}", clause, "model", (Edit(file, old, new),))


_OPERATORS = (
    _model(
        "pause-leaves-the-lane-on-the-ring",
        "RING-1",
        "operators.py",
        "    q.paused.add(op.group)\n    q.settle(op.group)\n",
        "    q.paused.add(op.group)\n",
    ),
    _model(
        "resume-does-not-return-the-lane",
        "RING-1",
        "operators.py",
        "    q.paused.discard(op.group)\n    q.settle(op.group)\n",
        "    q.paused.discard(op.group)\n",
    ),
    _model(
        "a-lower-limit-parks-nothing",
        "RING-1",
        "operators.py",
        "    q.limits[op.group] = op.n\n    q.settle(op.group)\n",
        "    q.limits[op.group] = op.n\n",
    ),
    _model(
        "unlimit-returns-nothing",
        "RING-1",
        "operators.py",
        "    changed = q.limits.pop(op.group, None) is not None\n    q.settle(op.group)\n",
        "    changed = q.limits.pop(op.group, None) is not None\n",
    ),
    _model(
        "the-same-limit-is-a-change",
        "ANSWER-changed",
        "operators.py",
        "    changed = q.limits.get(op.group) != op.n",
        "    changed = True",
    ),
    _model(
        "a-limit-forgets-a-lower-one",
        "VERB-lanes",
        "operators.py",
        "    q.limits[op.group] = op.n\n",
        "    q.limits[op.group] = max(op.n, q.limits.get(op.group, 0))\n",
    ),
    _model(
        "a-weight-of-one-is-not-stored",
        "VERB-weights",
        "operators.py",
        "    q.weights[op.group] = op.n\n",
        "    if op.n > 1:\n        q.weights[op.group] = op.n\n",
    ),
    _model(
        "pausing-twice-is-a-change",
        "VERB-queue-pause",
        "operators.py",
        "    changed = not q.queue_paused\n",
        "    changed = True\n",
    ),
    _model(
        "resume-queue-without-wake",
        "WAKE-1",
        "operators.py",
        "    if changed:\n        q.leave_token()\n",
        "",
    ),
    _model(
        "reassign-leaves-the-old-entry",
        "VERB-reassign",
        "operators.py",
        "    q.leave_lane(row)\n    row.group = op.group\n",
        "    row.group = op.group\n",
    ),
    _model(
        "reassign-forgets-the-source",
        "RING-1",
        "operators.py",
        "    q.settle(source)\n    q.settle(op.group)\n",
        "    q.settle(op.group)\n",
    ),
    _model(
        "reassign-clears-the-mark",
        "VERB-reassign",
        "operators.py",
        "    row.group = op.group\n",
        "    row.group = op.group\n    row.lapsed = False\n",
    ),
    _model(
        "reassign-takes-any-job",
        "VERB-reassign",
        "operators.py",
        "    if q.standing(row) is not JobState.PENDING:\n",
        "    if q.standing(row) is None:\n",
    ),
    _model(
        "drain-forgets-the-rows",
        "VERB-drain",
        "operators.py",
        "            del q.rows[job_id]\n",
        "",
    ),
    _model(
        "drain-counts-ghosts",
        "VERB-drain",
        "operators.py",
        "            del q.rows[job_id]\n            jobs += 1\n",
        "            del q.rows[job_id]\n        jobs += 1\n",
    ),
    _model(
        "drain-ends-the-pause",
        "VERB-drain",
        "operators.py",
        "    lane = q.lanes.pop(op.group, None)\n",
        "    lane = q.lanes.pop(op.group, None)\n    q.paused.discard(op.group)\n",
    ),
    _model(
        "remove-without-force",
        "VERB-remove",
        "operators.py",
        "            if not op.force:\n",
        "            if op.force is None:\n",
    ),
    _model(
        "remove-keeps-the-slot",
        "BOOK-1",
        "operators.py",
        "            q.leave_active(row)\n",
        "            q.active.discard(row.id)\n",
    ),
    _model(
        "remove-counts-as-completed",
        "VERB-remove",
        "operators.py",
        "    del q.rows[op.job_id]\n    q.settle(row.group)\n    return RemoveVerdict.REMOVED",
        "    del q.rows[op.job_id]\n    q.completed += 1\n    q.settle(row.group)\n"
        "    return RemoveVerdict.REMOVED",
    ),
    _model(
        "reprocess-starts-the-token-again",
        "TOKEN-1",
        "operators.py",
        "    row.forgiven = row.attempts\n",
        "    row.attempts = 0\n",
    ),
    _model(
        "reprocess-keeps-the-error",
        "FIELD-1",
        "operators.py",
        "    row.last_error = None\n",
        "",
    ),
    _model(
        "reprocess-forgives-nothing",
        "VERB-reprocess",
        "operators.py",
        "    row.forgiven = row.attempts\n",
        "",
    ),
    _model(
        "reprocess-takes-any-job",
        "VERB-reprocess",
        "operators.py",
        "    if q.standing(row) is not JobState.DEAD:\n",
        "    if q.standing(row) is JobState.PENDING:\n",
    ),
)

_WAKE = (
    _model("park-takes-no-token", "WAKE-1", "waking.py", "    q.wakes -= 1\n", ""),
    _model(
        "park-sleeps-beside-a-token",
        "VERB-park",
        "waking.py",
        "    if not q.wakes:\n        return False\n",
        "    if not q.wakes or _op.timeout_ms:\n        return False\n",
    ),
    _model(
        "park-returns-at-once",
        "VERB-park",
        "faces.py",
        "            parked.wait(op.timeout_ms)\n        except BaseException:",
        "            parked.wait(op.timeout_ms // 1000)\n        except BaseException:",
    ),
    _model(
        "wake-needs-no-reason",
        "VERB-wake",
        "waking.py",
        "    if q.wakes or not (q.ring or q.schedule):",
        "    if q.wakes:",
    ),
    _model(
        "wake-knows-no-schedule",
        "VERB-wake",
        "waking.py",
        "    if q.wakes or not (q.ring or q.schedule):",
        "    if q.wakes or not q.ring:",
    ),
    _model(
        "next-due-knows-no-leases",
        "VERB-next_due",
        "waking.py",
        "(q.schedule.first(), q.active.first())",
        "(q.schedule.first(),)",
    ),
    _model(
        "next-due-below-zero",
        "VERB-next_due",
        "waking.py",
        "max(0, min(times) - now_ms)",
        "min(times) - now_ms",
    ),
)

_READS = (
    _model(
        "a-row-without-its-error",
        "VERB-job",
        "reads.py",
        "    return None if row is None else row.record()\n",
        "    if row is not None:\n        row.last_error = None\n"
        "    return None if row is None else row.record()\n",
    ),
    _model(
        "depth-knows-no-ghosts",
        "GHOST-1",
        "reads.py",
        "    return 0 if lane is None else len(lane)",
        "    return 0 if lane is None else sum(i in q.rows for i in lane.ids())",
    ),
    _model(
        "serviceable-counts-all-lanes",
        "VERB-stats",
        "reads.py",
        "        serviceable=len(q.ring),",
        "        serviceable=len(q.lanes),",
    ),
    _model(
        "lanes-in-flight-are-not-listed",
        "RING-6",
        "reads.py",
        "    return q.lanes.keys() | q.in_flight.keys()",
        "    return set(q.lanes)",
    ),
    _model(
        "a-page-repeats-its-first",
        "PAGE-1",
        "reads.py",
        "if after is None or name > str(after[0])",
        "if after is None or name >= str(after[0])",
    ),
    _model(
        "ring-pages-skip-one",
        "PAGE-1",
        "reads.py",
        "encode_cursor(op.verb, end) if end",
        "encode_cursor(op.verb, end + 1) if end",
    ),
    _model(
        "browse-by-id",
        "VERB-reads",
        "reads.py",
        "    rows = (q.real(job_id, state) for _, job_id in entries[:limit])",
        "    rows = (q.real(i, state) for i in sorted(i for _, i in entries[:limit]))",
    ),
    _model(
        "an-age-below-zero",
        "VERB-reads",
        "reads.py",
        "max(0, now_ms - minted_ms)",
        "now_ms - minted_ms",
    ),
    _model(
        "snapshot-of-one-more",
        "VERB-snapshot",
        "reads.py",
        "    if entries > op.max_jobs:",
        "    if entries > op.max_jobs + 1:",
    ),
    _model(
        "a-place-in-the-lane-from-one",
        "VERB-explain",
        "explaining.py",
        ".ids().index(job_id) if pending",
        ".ids().index(job_id) + 1 if pending",
    ),
    _model(
        "holders-of-all-groups",
        "VERB-explain",
        "explaining.py",
        "is not None and row.group == group\n",
        "is not None\n",
    ),
)

_REPAIR = (
    _model("fsck-mends-nothing", "VERB-fsck", "repair.py", "        _mend(q)\n", "        pass\n"),
    _model(
        "fsck-mends-unasked",
        "VERB-fsck",
        "repair.py",
        "    if op.repair:\n",
        "    if not op.repair:\n",
    ),
    _model(
        "fsck-knows-no-ghosts",
        "VERB-fsck",
        "repair.py",
        "(_stray_rows, _ghosts, _books, _ring, _settings)",
        "(_stray_rows, _books, _ring, _settings)",
    ),
    _model(
        "fsck-keeps-the-books",
        "VERB-fsck",
        "repair.py",
        "    q.in_flight = q.true_books()\n",
        "",
    ),
)

_FACES = (
    _model(
        "close-closes-nothing",
        "ERR-closed",
        "store.py",
        "            session.open = False\n",
        "",
    ),
    _model(
        "check-leaves-a-gap",
        "VERB-check",
        "store.py",
        '            persistence="none",',
        '            persistence="",',
    ),
)

MUTANTS = (*_OPERATORS, *_WAKE, *_READS, *_REPAIR, *_FACES)
