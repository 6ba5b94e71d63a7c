"""Which checks, scenarios and machine judge each clause: traceability, in both directions."""

from __future__ import annotations

import re

from echomq_core.clauses import CLAUSES, PROFILES, SPEC_VERSION

from .checks import CHECKS
from .checks.elsewhere import ELSEWHERE
from .crowds import crowd_clauses
from .run import machine_clauses
from .scenario import load_scenarios

__all__ = ["clause_matrix", "clause_page", "shown_by"]


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


def clause_page() -> str:
    """The matrix as the page `docs/reference/clauses.md`."""
    lines = [
        "# Clauses and what shows them",
        "",
        f"Version {SPEC_VERSION} of the specification. This page is generated:"
        " `python -m echomq_conformance clauses --markdown`.",
        "",
        "*Machine* is the random sequence that is compared with the oracle step by step. A *world* is"
        " walked through completely. A *crowd* is many clients at once. A *test* needs more than a"
        " backend (a server that breaks, a wire that is cut), and is one of this project's own.",
    ]
    for profile, words in PROFILES.items():
        lines += ["", f"## {profile}", "", f"{words[:1].upper()}{words[1:]}.", ""]
        lines += ["| clause | shown by |", "|---|---|"]
        for clause_id, shown in shown_by().items():
            clause = CLAUSES[clause_id]
            if clause.profile == profile:
                link = f"[{clause_id}](../spec/{clause.chapter}#{_anchor(clause_id, clause.title)})"
                lines.append(f"| {link} {clause.title} | {_cell(shown, clause.status)} |")
    return "\n".join(lines)


def _cell(shown: list[str], status: str) -> str:
    if not shown:
        return "planned" if status == "planned" else "prose alone"
    by_kind: dict[str, list[str]] = {}
    for name in shown:
        kind, _, rest = name.partition(" ")
        by_kind.setdefault(kind, []).append(rest)
    return "; ".join(
        f"{kind} {', '.join(f'`{name}`' for name in names if name)}".strip()
        for kind, names in by_kind.items()
    )


def _anchor(clause_id: str, title: str) -> str:
    """The anchor that a Markdown renderer gives to the heading of a clause."""
    return re.sub(r"[^\w\- ]", "", f"{clause_id} {title}".lower()).strip().replace(" ", "-")
