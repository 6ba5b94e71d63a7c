"""The interop vectors as checks: one for each verb, of the clauses that its vectors show."""

from __future__ import annotations

from itertools import groupby

from ..profiles import VERB_PROFILES
from ..vector import Vector, load_vectors
from ..vector_play import differences
from .registry import CHECKS, Bench, Check

__all__ = ["play"]


def play(bench: Bench, vectors: list[Vector]) -> None:
    """Each vector on a fresh queue; fails with all that differs in the first that is not right."""
    for vector in vectors:
        queue = bench.harness.fresh_queue("vector")
        found = differences(vector, bench.backend, bench.probe, queue)
        assert not found, f"{vector.clauses[0]}: vector {vector.name}: " + "; ".join(found)


def _check(verb: str, vectors: list[Vector]) -> Check:
    clauses = dict.fromkeys(clause for vector in vectors for clause in vector.clauses)
    return Check(
        f"vectors_{verb}",
        tuple(clauses),
        frozenset({"core", "wire", VERB_PROFILES[verb]}),
        lambda bench: play(bench, vectors),
    )


CHECKS.extend(
    _check(verb, list(found))
    for verb, found in groupby(
        sorted(load_vectors(), key=lambda vector: vector.verb), key=lambda vector: vector.verb
    )
)
