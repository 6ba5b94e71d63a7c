"""Targets by `module:function`, as the command line takes them, and small runs of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from echomq_conformance import Target
from echomq_conformance.run import Budget
from echomq_conformance.targets import memory

from tests.kit.wrong_backends import FAULTS, target_with

__all__ = ["SMALL", "address", "core_alone", "joins_at_the_head", "right", "without_a_probe"]

SMALL = Budget(examples=3, steps=20, tours=2, shrink_s=1.0, worlds=(("three", 0.2),))
"""Enough to find the fault of `joins_at_the_head`, and no more."""


def right() -> Target:
    """The memory backend."""
    return memory()


def joins_at_the_head() -> Target:
    """Lanes rejoin the ring at its head, against RING-3."""
    return target_with(
        next(fault for fault in FAULTS if fault.name == "complete_rejoins_at_the_head")
    )


def without_a_probe() -> Target:
    """Claims `wire` and has no back door, so nothing of that profile can be looked at."""
    return replace(memory(), claims=frozenset({"core", "wire"}))


def core_alone() -> Target:
    """Has every verb, and claims those of `core` alone."""
    return replace(memory(), name="core-alone", claims=frozenset({"core"}))


def address(make: Callable[[], Target]) -> str:
    """What `--target` takes for one of these."""
    return f"{make.__module__}:{make.__qualname__}"
