"""The badge: one line that says which profiles a backend conforms to."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from ..report import Report, Verdict
from .verdicts import exit_code

__all__ = ["badge"]

_COLOURS = ("#1a7f37", "#b42318", "#8a5a00")
_CHARACTER, _PADDING = 6.6, 14


def badge(reports: Sequence[Report]) -> str:
    """A self-contained SVG for all reports together. White on its colours reads at 4.5:1 or more."""
    code = exit_code(reports)
    versions = dict.fromkeys(report.spec for report in reports)
    label, told = f"EchoMQ {', '.join(versions)}", _told(reports, code)
    left, right = (round(len(part) * _CHARACTER) + _PADDING for part in (label, told))
    title = escape(f"{label}: {told}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="22" role="img" '
        f'aria-label="{title}"><title>{title}</title>'
        f'<clipPath id="r"><rect width="{left + right}" height="22" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{left}" height="22" fill="#3d444d"/>'
        f'<rect x="{left}" width="{right}" height="22" fill="{_COLOURS[code]}"/></g>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" '
        'text-anchor="middle">'
        f'<text x="{left / 2:g}" y="15" textLength="{left - _PADDING}">{escape(label)}</text>'
        f'<text x="{left + right / 2:g}" y="15" textLength="{right - _PADDING}">{escape(told)}</text>'
        "</g></svg>\n"
    )


def _told(reports: Sequence[Report], code: int) -> str:
    if code == 1:
        clauses = {
            found.clause
            for report in reports
            for found in report.clauses
            if found.verdict is Verdict.FAILED
        }
        return f"{len(clauses)} clause{'s' if len(clauses) != 1 else ''} broken"
    if code == 2:
        return "not all was shown"
    common = [
        name for name in reports[0].claims if all(name in report.claims for report in reports)
    ]
    return " · ".join(common)
