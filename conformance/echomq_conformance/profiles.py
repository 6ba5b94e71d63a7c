"""Which profile each verb belongs to, by the Protocol that it is part of."""

from __future__ import annotations

from echomq_core import (
    Backend,
    Bulk,
    Insight,
    LaneControl,
    QueuePause,
    Repair,
    Surgery,
    Wake,
    Weights,
)

__all__ = ["VERB_PROFILES", "verbs_of_clause"]


def _verbs(protocol: type) -> list[str]:
    return [name for name in vars(protocol) if not name.startswith("_") and name != "close"]


VERB_PROFILES: dict[str, str] = {
    verb: profile
    for profile, protocols in (
        ("core", (Backend,)),
        ("bulk", (Bulk,)),
        ("control", (Weights, LaneControl, QueuePause, Surgery, Insight, Repair)),
        ("wake", (Wake,)),
    )
    for protocol in protocols
    for verb in _verbs(protocol)
}
"""Verb → the profile that claims it."""

_SEVERAL_VERBS = {
    "VERB-bulk": ("enqueue_many", "complete_many", "extend_many"),
    "VERB-job": ("job", "depth"),
    "VERB-lanes": ("pause", "resume", "limit", "unlimit"),
    "VERB-queue-pause": ("pause_queue", "resume_queue"),
    "VERB-reads": ("depths", "lanes", "ring", "dead_jobs", "browse", "configuration"),
    "VERB-weights": ("weight", "unweight", "wclaim"),
}


def verbs_of_clause(clause: str) -> tuple[str, ...]:
    """The verbs that a clause describes; none for a clause about something else."""
    verb = clause.removeprefix("VERB-")
    return _SEVERAL_VERBS.get(clause, (verb,) if verb in VERB_PROFILES else ())
