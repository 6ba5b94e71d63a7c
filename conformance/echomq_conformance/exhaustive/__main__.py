"""`python -m echomq_conformance.exhaustive [WORLD ...]`: judge the oracle in small worlds, and measure.

Without names, all worlds that take less than a minute. Exit code 1 if the oracle has a fault.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

from .soundness import Fault, prove, sample
from .worlds import WORLDS, World, world

QUICK = ("lives", "one", "two", "three", "lossy")
_SAMPLE_STEPS = 20_000


def main(names: Sequence[str]) -> int:
    """Print one line for each world, and the faults."""
    unknown = sorted(set(names) - set(WORLDS))
    if unknown:
        print(f"no world {', '.join(unknown)}; there are {', '.join(WORLDS)}", file=sys.stderr)
        return 2
    faulty = 0
    for name in names or QUICK:
        started = time.monotonic()
        counts, faults = _judge(world(name))
        print(f"{name:8} {counts}, {time.monotonic() - started:.1f} s, {len(faults)} faults")
        for fault in faults:
            print(f"         {fault.violation}; state {fault.state}, {fault.steps}")
        faulty += len(faults)
    return 1 if faulty else 0


def _judge(judged: World) -> tuple[str, Sequence[Fault]]:
    if not judged.small:
        faults, steps = sample(judged, seed=1, steps=_SAMPLE_STEPS)
        return f"{len(judged.choices)} choices, a sample of {steps} steps", faults
    proof = prove(judged)
    if proof.graph is None:
        return f"{len(judged.choices)} choices, not explored to its end", proof.faults
    graph = proof.graph
    counts = f"{len(graph.states)} states, {graph.pairs} steps, depth {graph.depth}"
    return f"{len(judged.choices)} choices, {counts}", proof.faults


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
