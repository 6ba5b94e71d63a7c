"""The page that docs show: the tables, and what they were made with. Pure."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from ..run import Budget
from .cells import Cell
from .tables import server_table, verb_table

__all__ = ["page"]


def page(cells: Sequence[Cell], budget: Budget, seed: int) -> str:
    """The page as Markdown. It is written by a program; nobody edits it."""
    reports = [report for cell in cells for report in cell.reports]
    clients = dict.fromkeys(report.client for report in reports if report.client)
    made = (
        f"Made by `nox -s matrix -- --write docs/matrix.md`, which writes this page anew. Each cell"
        f" is two runs of the conformance kit, with the sync and with the async face, on servers of"
        f" its own: all scenarios, all named checks, and {budget.examples} examples of the machine"
        f" with {budget.steps} steps and {budget.tours} tours, seed {seed}. Small worlds and crowds"
        f" are left to the conformance run. Client: {', '.join(clients) or 'none'}."
    )
    read = (
        "*passed 70 + 71*: so many clauses of the spec were shown with the sync and with the async"
        " face. *not shown*: clauses (of both faces together) that need crowds, or of which a short"
        " run does not reach every rare branch. *not run*: the server was not on the machine that"
        " made this page; `ECHOMQ_SERVER_<NAME>=/path/to/server` adds one."
    )
    verbs = (
        "The worst verdict on the clause of each verb, over all servers and protocols above, and how"
        " often the machine called it there (CONN-7)."
    )
    return "\n".join(
        [
            "# Servers, protocols and topologies",
            "",
            _wrapped(made),
            "",
            server_table(cells),
            "",
            _wrapped(read),
            "",
            "## Verbs by topology",
            "",
            _wrapped(verbs),
            "",
            verb_table(cells),
            "",
        ]
    )


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 110, break_long_words=False, break_on_hyphens=False)
