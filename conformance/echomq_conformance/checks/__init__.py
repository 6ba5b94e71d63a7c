"""Named checks, each of the clauses that it names: what a backend must show beyond the traces."""

from . import (
    answers,
    arguments,
    asynchronous,
    clocks,
    damage,
    elsewhere,
    insight,
    standing,
    vectors,
    waking,
    wire,
)
from .registry import CHECKS, Bench, Check, clause

__all__ = [
    "CHECKS",
    "Bench",
    "Check",
    "answers",
    "arguments",
    "asynchronous",
    "clause",
    "clocks",
    "damage",
    "elsewhere",
    "insight",
    "standing",
    "vectors",
    "waking",
    "wire",
]
