"""Failures as first differences: from a violation, or from a message in the kit's own form."""

from __future__ import annotations

import re

from .predicates import Violation
from .report import Breach

__all__ = ["breach_in", "breach_of"]

_FORM = re.compile(
    r"(?P<where>.*?):? ?\bexpected (?P<expected>.*), (?:got|found) (?P<got>.*)", re.DOTALL
)


def breach_of(violation: Violation) -> Breach:
    return Breach(violation.clause, violation.where, violation.expected, violation.found)


def breach_in(message: str, clause: str) -> Breach:
    """Of `CLAUSE: where: expected X, got Y`; what has another form is all `where`."""
    rest = message.removeprefix(f"{clause}: ")
    form = _FORM.fullmatch(rest)
    if form is None:
        return Breach(clause, rest)
    return Breach(clause, form["where"], form["expected"], form["got"])
