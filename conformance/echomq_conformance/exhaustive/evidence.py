"""The exhaustive tier as evidence of a report: one item for each world that was walked through."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from echomq_core.clauses import CLAUSES

from ..breaches import breach_in, breach_of
from ..harness import Harness
from ..report import Evidence
from ..script_data import encode_script
from .choices import Do
from .run import run_exhaustive
from .worlds import World, world

__all__ = ["exhaustive_evidence"]

_OF_EVERY_STEP = (
    "STATE-1",
    "BOOK-1",
    "BOOK-2",
    "RING-1",
    "RING-2",
    "RING-3",
    "CLOCK-1",
    "TOKEN-1",
    "TOKEN-2",
    "FIELD-1",
    "WAKE-1",
    "WAKE-2",
    "WAKE-4",
    "VERB-turn",
    "VERB-lanes",
    "VERB-weights",
    "VERB-queue-pause",
    "VERB-bulk",
)
"""What a walk speaks for, besides the clause of each verb that its world offers."""


def exhaustive_evidence(
    harness: Harness,
    plan: Sequence[tuple[str, float]],
    seed: int,
    *,
    shrink_s: float = 20.0,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[Evidence]:
    """Walk through the worlds of a plan (`PLANS[budget]`) on an opened target, up to the first
    fault; the worlds after it show nothing. Nothing that the target raises comes out of here."""
    broken, face = "", harness.face
    for name, seconds in plan:
        offered = world(name).claimed(harness.target.claims)
        title = f"world {name} ({harness.face})"
        clauses = _spoken_for(offered, harness.target.claims)
        if broken:
            yield Evidence("exhaustive", title, clauses, None, broken, face=face)
            continue
        try:
            run = run_exhaustive(
                harness, world_name=name, seed=seed, seconds=seconds, shrink_s=shrink_s
            )
        except Exception as error:  # noqa: BLE001 - a fault of the target is a finding
            # Verbs are judged inside; what comes out here is a snapshot or a back door that raised.
            message = f"VERB-snapshot: the world {name} could not go on: {error!r}"
            breach = breach_in(message, "VERB-snapshot")
            yield Evidence(
                "exhaustive", title, ("VERB-snapshot",), False, message, face=face, breach=breach
            )
            broken = f"not walked: the world {name} could not go on"
            yield Evidence("exhaustive", title, clauses, None, broken, face=face)
            continue
        progress(str(run))
        if run.failure is None:
            yield Evidence("exhaustive", title, clauses, True, str(run), face=face)
            continue
        violation, program = run.failure.violation, run.failure.program
        message = f"{violation} ({run.done} steps into the world {name})"
        yield Evidence(
            "exhaustive",
            title,
            (violation.clause,),
            False,
            message,
            program,
            face,
            breach_of(violation),
            encode_script(run.failure.script),
        )
        rest = tuple(clause for clause in clauses if clause != violation.clause)
        yield Evidence(
            "exhaustive", title, rest, None, f"stopped at a fault after {run.done} steps", face=face
        )
        broken = f"not walked: the world {name} was broken off at a fault"


def _spoken_for(offered: World, claims: frozenset[str]) -> tuple[str, ...]:
    verbs = {choice.op.verb for choice in offered.choices if isinstance(choice, Do)}
    named = [*_OF_EVERY_STEP, *(f"VERB-{verb}" for verb in sorted(verbs))]
    named += ["GHOST-1"] if offered.loses_rows else []
    return tuple(
        clause
        for clause in dict.fromkeys(named)
        if clause in CLAUSES and CLAUSES[clause].profile in claims
    )
