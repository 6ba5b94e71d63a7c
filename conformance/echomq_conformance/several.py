"""Judging several targets at once, each in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from .report import Report
from .run import run_conformance, say_on_stderr
from .target import find_target

__all__ = ["run_several"]


def run_several(
    names: Sequence[str],
    *,
    budget: str,
    seed: int,
    profiles: Sequence[str] | None = None,
    at_once: int = 2,
) -> list[Report]:
    """The reports of targets by name, in order. Each has an interpreter, and a server, of its own."""
    if len(names) == 1 or at_once < 2:
        return [_one(name, budget, seed, profiles) for name in names]
    with ProcessPoolExecutor(at_once, mp_context=get_context("spawn")) as pool:
        runs = [pool.submit(_one, name, budget, seed, profiles) for name in names]
        return [run.result() for run in runs]


def _one(name: str, budget: str, seed: int, profiles: Sequence[str] | None) -> Report:
    return run_conformance(
        find_target(name),
        profiles=profiles,
        seed=seed,
        budget=budget,
        progress=say_on_stderr(name),
    )
