"""Which checks, scenarios and machine judge each clause: traceability, in both directions."""

from __future__ import annotations

from echomq_core.clauses import CLAUSES

from .checks import CHECKS
from .checks.elsewhere import ELSEWHERE
from .crowds import crowd_clauses
from .run import machine_clauses
from .scenario import load_scenarios

__all__ = ["clause_matrix", "shown_by"]


def shown_by() -> dict[str, list[str]]:
    """Clause → what shows it: `check NAME`, `scenario NAME`, `machine`, `crowd NAME`, `test PATH`."""
    found: dict[str, list[str]] = {clause: [] for clause in CLAUSES}
    for check in CHECKS:
        for clause in check.clauses:
            found[clause].append(f"check {check.name}")
    for scenario in load_scenarios():
        for clause in scenario.clauses:
            found[clause].append(f"scenario {scenario.name}")
    for clause in machine_clauses():
        found[clause].append("machine")
    for name, clauses in crowd_clauses().items():
        for clause in clauses:
            found[clause].append(f"crowd {name}")
    for clause, tests in ELSEWHERE.items():
        found[clause] += [f"test {test}" for test in tests]
    return found


def clause_matrix() -> str:
    """The matrix as text: each clause with its profile, and below it what shows it."""
    lines = []
    for clause_id, shown in shown_by().items():
        clause = CLAUSES[clause_id]
        lines.append(f"{clause_id} ({clause.profile}) {clause.title}")
        lines += [f"    {name}" for name in shown] or [
            "    (prose)" if clause.profile == "prose" else "    (nothing yet)"
        ]
    return "\n".join(lines)
