"""Shrinking a failing script: leave steps out, in halves and then singly, while it still fails."""

from __future__ import annotations

import time
from collections.abc import Sequence

from .coverage import Coverage
from .harness import Harness
from .lockstep import Divergence, Lockstep
from .predicates import Violation
from .script import ScriptStep

__all__ = ["replay", "shrink"]


def replay(
    harness: Harness, script: Sequence[ScriptStep]
) -> tuple[Violation, tuple[ScriptStep, ...]] | None:
    """Play a script on fresh queues and bring them to their end: the first fault, and the steps
    up to it, those of the end included; `None` if all is well."""
    lockstep: Lockstep | None = None
    try:
        lockstep = Lockstep(harness, Coverage())
        lockstep.play(script)
        lockstep.finish()
    except Divergence as divergence:
        return divergence.violation, tuple(lockstep.script) if lockstep is not None else ()
    return None


def shrink(
    harness: Harness, violation: Violation, script: Sequence[ScriptStep], seconds: float = 20.0
) -> tuple[Violation, tuple[ScriptStep, ...]]:
    """The shortest script found within `seconds` that still breaks the same clause, and how."""
    best, found = tuple(script), violation
    end = time.monotonic() + seconds
    size = max(1, len(best) // 2)
    while best and time.monotonic() < end:
        shorter = _without_some(harness, violation.clause, best, size, end)
        if shorter is not None:
            found, best = shorter
            size = min(size, max(1, len(best) // 2))
        elif size == 1:
            break
        else:
            size = max(1, size // 2)
    outcome = replay(harness, best)
    return outcome if outcome is not None else (found, best)


def _without_some(
    harness: Harness, clause: str, script: tuple[ScriptStep, ...], size: int, end: float
) -> tuple[Violation, tuple[ScriptStep, ...]] | None:
    """The script without one run of `size` steps, if it still breaks the clause; from the back,
    since what comes late is more often left over."""
    for start in range(max(0, len(script) - size), -1, -size):
        if time.monotonic() > end:
            return None
        shorter = script[:start] + script[start + size :]
        outcome = replay(harness, shorter)
        if outcome is not None and outcome[0].clause == clause:
            violation, played = outcome
            return violation, shorter[: len(played)]
    return None
