"""Mutants that only several clients at once can show: one client at a time must not notice them.

Each looks, lets another client in, and acts on what it saw: a verb in two commands.
"""

from __future__ import annotations

from .mutant import Edit, Mutant

__all__ = ["MUTANTS"]

_NO_LOCK = Edit(
    "store.py",
    "    def perform(self, session: Session, op: ops.QueueOp[A]) -> A:\n"
    '        """Carry out one verb now. Raises `NotApplied` once the session is closed."""\n'
    "        with self._lock:\n",
    "    def perform(self, session: Session, op: ops.QueueOp[A]) -> A:\n"
    '        """Carry out one verb now. Raises `NotApplied` once the session is closed."""\n'
    "        with threading.Lock():\n",
)

_PAUSE = "__import__('time').sleep(0)"


def _in_two(name: str, file: str, old: str, new: str) -> Mutant:
    edits = (Edit(file, old, new), _NO_LOCK)
    return Mutant(f"model-{name}", "VERB-atomic", "model", edits, "concurrent", "machine")


MUTANTS = (
    Mutant("model-no-lock", "VERB-atomic", "model", (_NO_LOCK,), "concurrent", "machine"),
    _in_two(
        "claim-looks-then-takes",
        "turns.py",
        "            job_id = lane.take_first()\n",
        "            found = lane.first()\n"
        "            job_id = found[1] if found is not None else None\n"
        f"            {_PAUSE}\n"
        "            lane.discard(job_id or '')\n",
    ),
    _in_two(
        "complete-looks-then-acts",
        "settling.py",
        "    if _holds(q, row, token):\n        q.leave_active(row)\n",
        f"    if _holds(q, row, token):\n        {_PAUSE}\n        q.leave_active(row)\n",
    ),
    _in_two(
        "enqueue-looks-then-writes",
        "admission.py",
        "    row = q.rows[item.job_id] = Row(",
        f"    {_PAUSE}\n    row = q.rows[item.job_id] = Row(",
    ),
    _in_two(
        "a-slot-is-counted-then-taken",
        "state.py",
        "        self.in_flight[row.group] = self.in_flight.get(row.group, 0) + 1\n",
        "        count = self.in_flight.get(row.group, 0)\n"
        f"        {_PAUSE}\n        self.in_flight[row.group] = count + 1\n",
    ),
)
