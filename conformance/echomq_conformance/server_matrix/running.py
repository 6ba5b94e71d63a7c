"""One cell of the matrix: the kit at one place, and what is wrong there."""

from __future__ import annotations

import sys

from ..report import Report
from ..run import Budget, run_conformance
from ..target import TargetError
from .cells import Cell, Place
from .tables import cell_text

__all__ = ["BUDGET", "failures", "run_at"]

BUDGET = Budget(examples=20, steps=40, tours=2)
"""All scenarios and named checks, and a short run of the machine: enough to see a server differ."""


def run_at(place: Place, seed: int) -> Cell:
    """The kit at one place, with each face."""
    if place.server.binary is None:
        return Cell(place, reason=place.server.missing)
    reports: list[Report] = []
    for asynchronous in (False, True):
        target = place.target(asynchronous=asynchronous)
        try:
            reports.append(run_conformance(target, seed=seed, budget=BUDGET))
        except TargetError as error:
            return Cell(place, reason=str(error))
    cell = Cell(place, tuple(reports))
    where = f"{place.server.name} RESP{place.protocol} {place.topology}"
    print(f"[{where}] {cell_text(cell)}", file=sys.stderr, flush=True)
    return cell


def failures(cell: Cell) -> list[str]:
    """A line for each thing that is wrong there. A server that is there and does not start is
    wrong, one that is not there is not."""
    if cell.place.server.binary is not None and not cell.reports:
        return [f"{cell.place.server.name}, {cell.place.topology}: {cell.reason}"]
    return [
        f"{report.target}: {found.kind} {found.name}: {found.message}"
        for report in cell.reports
        for found in report.failures
    ]
