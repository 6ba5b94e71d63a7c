"""Which clause a difference from the oracle breaks, judged by the verb and the field that differs."""

from __future__ import annotations

import re
from typing import Any

from echomq_core import QueueSnapshot, ops

from .difference import Difference
from .transitions import is_claim

__all__ = ["clause_of"]

_VERDICT_VERBS = (
    ops.Complete | ops.CompleteMany | ops.Retry | ops.Release | ops.Extend | ops.ExtendMany
)

_UNKNOWN = QueueSnapshot(now_ms=0, paused=False)

_FIELDS = {
    "paused": "VERB-queue-pause",
    "lanes": "STATE-1",
    "dead": "STATE-1",
    "limits": "VERB-lanes",
    "weights": "VERB-weights",
    "paused_groups": "VERB-lanes",
    "in_flight": "BOOK-1",
    "completed": "STATE-2",
    "failed": "FIELD-1",
    "wakes": "WAKE-1",
}

_ROW_FIELDS = {
    "attempts": "TOKEN-1",
    "last_error": "FIELD-1",
    "forgiven": "FIELD-1",
    "lapsed": "FIELD-1",
    "payload": "KEYS-5",
}


def clause_of(op: ops.Op[Any], difference: Difference, before: QueueSnapshot = _UNKNOWN) -> str:
    """The clause that the oracle's other answer stands on. `before`: the queue before the verb,
    if it is known."""
    if difference.path.startswith("answer"):
        return _answer_clause(op, difference, before)
    field = difference.path.split("[", 1)[0].split(" ", 1)[0]
    if field == "ring":
        return "RING-2" if is_claim(op) else "RING-3"
    if field == "wakes" and is_claim(op):
        return "WAKE-2"
    if field in ("active", "schedule"):
        return "CLOCK-1" if None not in (difference.expected, difference.got) else "STATE-1"
    if field == "jobs":
        return _ROW_FIELDS.get(difference.path.rsplit(".", 1)[-1], "STATE-1")
    return _FIELDS.get(field, "STATE-1")


def _answer_clause(op: ops.Op[Any], difference: Difference, before: QueueSnapshot) -> str:
    if isinstance(op, _VERDICT_VERBS):
        words = {str(difference.expected), str(difference.got)}
        if words & {"stale", "gone"}:
            return _token_clause(op, difference, before)
        if isinstance(op, ops.CompleteMany | ops.ExtendMany):
            return "VERB-bulk"
    if difference.path.endswith((".deadline_ms", ".due_ms", ".due_in_ms")):
        return "CLOCK-1"
    if difference.path.endswith(".token"):
        return "TOKEN-1"
    if difference.path.endswith(".payload"):
        return "KEYS-5"
    return _VERBS.get(op.verb, f"VERB-{op.verb}")


def _token_clause(op: Any, difference: Difference, before: QueueSnapshot) -> str:
    """A token that is not the row's breaks TOKEN-1; the right one, on a job that is not where the
    verb needs it, TOKEN-2."""
    if isinstance(op, ops.CompleteMany | ops.ExtendMany):
        index = re.match(r"answer\[(\d+)\]", difference.path)
        job_id, token = op.pairs[int(index[1])] if index else ("", 0)
    else:
        job_id, token = op.job_id, op.token
    row = before.jobs.get(job_id)
    return "TOKEN-2" if row is not None and row.attempts == token else "TOKEN-1"


_VERBS = {
    "enqueue_many": "VERB-bulk",
    "complete_many": "VERB-bulk",
    "extend_many": "VERB-bulk",
    "wclaim": "VERB-weights",
    "weight": "VERB-weights",
    "unweight": "VERB-weights",
    "pause": "VERB-lanes",
    "resume": "VERB-lanes",
    "limit": "VERB-lanes",
    "unlimit": "VERB-lanes",
    "pause_queue": "VERB-queue-pause",
    "resume_queue": "VERB-queue-pause",
    "depth": "VERB-job",
}
_VERBS |= dict.fromkeys(
    ("depths", "lanes", "ring", "dead_jobs", "browse", "configuration"), "VERB-reads"
)
"""Verbs whose clause is not simply `VERB-` and their name."""
