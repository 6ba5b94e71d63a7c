"""Which scenarios and checks a run left out, and why: what is not shown must not look shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from .checks import CHECKS
from .report import Evidence, Skipped
from .scenario import load_scenarios
from .target import Target

__all__ = ["skipped_by"]


def skipped_by(target: Target, evidence: Iterable[Evidence]) -> Iterator[Skipped]:
    """Every scenario and check of the kit that is no part of the evidence."""
    ran = {(item.kind, item.name) for item in evidence}
    for kind, things in (("scenario", load_scenarios()), ("check", CHECKS)):
        for thing in things:
            if (kind, thing.name) not in ran:
                yield Skipped(kind, thing.name, _reason(target, thing.profiles))


def _reason(target: Target, profiles: frozenset[str]) -> str:
    missing = sorted(profiles - target.claims)
    if missing:
        return f"needs {', '.join(missing)}, which is not claimed"
    if "wire" in profiles and target.probe is None:
        return "needs the target's probe, which is not given"
    return "no face of the target was run"
