"""The exhaustive tier: every situation of a small world, on the model and on a target.

`prove` judges the model alone: every predicate in every state, and no state without a way to the
end. `run_exhaustive` then performs every step of that world on a target, against the model.
"""

from __future__ import annotations

from .evidence import exhaustive_evidence
from .run import PLANS, ExhaustiveRun, run_exhaustive
from .soundness import prove
from .worlds import WORLDS, World, world

__all__ = [
    "PLANS",
    "WORLDS",
    "ExhaustiveRun",
    "World",
    "exhaustive_evidence",
    "prove",
    "run_exhaustive",
    "world",
]
