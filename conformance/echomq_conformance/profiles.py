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

__all__ = ["VERB_PROFILES"]


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
