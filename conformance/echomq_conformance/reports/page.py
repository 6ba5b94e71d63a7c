"""A report as one HTML page that needs nothing else: no script, no font, no picture from elsewhere.

A report may come from a stranger, so all of it is escaped, and pictures are shown as images, in which
no script runs.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator, Sequence
from html import escape
from importlib.resources import files

from ..report import Evidence, MachineReport, Report, Verdict
from ..target import PROFILES
from .verdicts import (
    conclusion,
    exit_code,
    numbered_failures,
    profile_verdicts,
    replay_command,
    steps_text,
)

__all__ = ["page"]

_TONES = {
    Verdict.PASSED: "good",
    Verdict.FAILED: "bad",
    Verdict.PARTIAL: "care",
    Verdict.NOT_EXERCISED: "care",
}
_TONE_OF_CODE = ("good", "bad", "care")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(reports: Sequence[Report], file: str = "report.json") -> str:
    """The page: verdicts, failures with their scripts, every clause, counts, what was left out."""
    css = (files("echomq_conformance") / "reports" / "page.css").read_text("utf-8")
    code = exit_code(reports)
    names = ", ".join(report.target for report in reports)
    failures = list(numbered_failures(reports))
    parts = [
        '<!doctype html><html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
        f"<title>EchoMQ conformance: {escape(names)}</title><style>{css}</style></head><body>",
        f"<header><h1>EchoMQ conformance {_pill(conclusion(code), _TONE_OF_CODE[code])}</h1>",
        "<nav>",
        f'<a href="#failures">Failures ({len(failures)})</a>' if failures else "",
        '<a href="#clauses">Clauses</a><a href="#counts">What was played</a>',
        '<a href="#left-out">What was left out</a></nav></header><main>',
        '<section class="cards" aria-label="Targets">',
        *(part for report in reports for part in _card(report)),
        "</section>",
    ]
    if failures:
        parts.append('<section id="failures"><h2>Failures</h2>')
        parts += _broken(failures)
        parts += [part for each in failures for part in _failure(*each, file)]
        parts.append("</section>")
    parts += ['<section id="clauses"><h2>Clauses</h2>', *_clauses(reports), "</section>"]
    parts += ['<section id="counts"><h2>What was played</h2>']
    parts += [part for report in reports for part in _played(report)]
    parts += ['</section><section id="left-out"><h2>What was left out</h2>']
    parts += [part for report in reports for part in _left_out(report)]
    return "\n".join(filter(None, [*parts, "</section></main></body></html>"])) + "\n"


def _pill(text: str, tone: str = "") -> str:
    return f'<span class="{f"pill {tone}".strip()}">{escape(text)}</span>'


def _card(report: Report) -> Iterator[str]:
    code = report.exit_code
    yield f'<article class="card"><h3>{escape(report.target)}'
    yield f"{_pill(conclusion(code), _TONE_OF_CODE[code])}</h3>"
    yield '<ul class="pills" aria-label="Profiles">'
    for found in profile_verdicts(report):
        tone = _TONES.get(Verdict(found.verdict), "")
        yield f"<li>{_pill(f'{found.name}: {found.verdict}', tone)}</li>"
    yield "</ul><dl>"
    counts = ", ".join(f"{report.count(each)} {each}" for each in Verdict if report.count(each))
    for term, told in (
        ("clauses", counts),
        ("version", report.version),
        ("server", report.server),
        ("client", report.client),
        ("kit", f"{report.kit}, spec {report.spec}, Python {report.python}"),
        ("run", f"budget {report.budget}, seed {report.seed}, {report.seconds:.0f} s"),
        ("finished", report.finished),
    ):
        if told:
            yield f"<dt>{term}</dt><dd>{escape(told)}</dd>"
    yield f'</dl><pre class="command">{escape(report.replay)}</pre></article>'


def _broken(failures: Sequence[tuple[int, Report, Evidence]]) -> Iterator[str]:
    """Each broken clause with the numbers of its failures, the most often broken first."""
    by_clause: dict[str, list[int]] = {}
    for number, _, item in failures:
        for clause in item.clauses:
            by_clause.setdefault(clause, []).append(number)
    yield '<ul class="broken">'
    for clause, numbers in sorted(by_clause.items(), key=lambda each: -len(each[1])):
        links = " ".join(f'<a href="#failure-{number}">{number}</a>' for number in numbers)
        yield f'<li><a href="#{escape(clause)}"><code>{escape(clause)}</code></a> in {links}</li>'
    yield "</ul>"


def _failure(number: int, report: Report, item: Evidence, file: str) -> Iterator[str]:
    face = f", {item.face} face" if item.face else ""
    clauses = ", ".join(item.clauses)
    yield f'<article class="card failure" id="failure-{number}">'
    yield f"<h3>{number}. {escape(clauses)}: {escape(item.title)}</h3>"
    yield f'<p class="small">on {escape(report.target)}{face}</p><dl>'
    breach = item.breach
    if breach is None or not breach.expected:
        yield f'<dt>found</dt><dd class="value">{escape(item.message)}</dd>'
    else:
        yield f'<dt>where</dt><dd class="value">{escape(breach.where)}</dd>'
        yield f'<dt>expected</dt><dd class="value">{escape(breach.expected)}</dd>'
        yield f'<dt>got</dt><dd class="value">{escape(breach.got)}</dd>'
    yield "</dl>"
    for name, text in item.exhibits.items():
        if name.endswith(".svg"):
            picture = b64encode(text.encode()).decode()
            yield f'<div class="scroll"><img alt="{escape(name)}: {escape(item.message)}" '
            yield f'src="data:image/svg+xml;base64,{picture}"></div>'
    if item.program:
        shut = any(name.endswith(".svg") for name in item.exhibits)  # the picture says the same
        yield f"<details{'' if shut else ' open'}>"
        yield f"<summary>{'The script' if item.script else 'What happened'}</summary>"
        yield f"<pre>{escape(item.program)}</pre></details>"
    elif item.script:
        yield "<details><summary>The steps</summary>"
        yield f"<pre>{escape(steps_text(item.script))}</pre></details>"
    yield f'<pre class="command">{escape(replay_command(file, number))}</pre></article>'


def _clauses(reports: Sequence[Report]) -> Iterator[str]:
    columns = [{found.clause: found for found in report.clauses} for report in reports]
    rows = {found.clause: found for column in columns for found in column.values()}
    several = " several" if len(reports) > 1 else ""
    yield f'<div class="scroll"><table class="clauses{several}"><thead><tr><th>clause</th>'
    yield from (f"<th>{escape(report.target)}</th>" for report in reports)
    yield "<th>shown by</th></tr></thead><tbody>"
    profiles = dict.fromkeys(found.profile for found in rows.values())
    for profile in sorted(profiles, key=lambda name: (*PROFILES, name).index(name)):
        yield f'<tr class="group"><th colspan="{len(reports) + 2}">{escape(profile)}</th></tr>'
        for clause, row in rows.items():
            if row.profile != profile:
                continue
            yield f'<tr id="{escape(clause)}"><th><code>{escape(clause)}</code> {escape(row.title)}</th>'
            for report, column in zip(reports, columns, strict=True):
                yield f'<td class="verdict" data-target="{escape(report.target)}">'
                found = column.get(clause)
                if found is not None:
                    yield _pill(str(found.verdict), _TONES.get(found.verdict, ""))
                yield "</td>"
            yield "<td>"
            yield from _shown_by(clause, reports)
            yield "</td></tr>"
    yield "</tbody></table></div>"


def _shown_by(clause: str, reports: Sequence[Report]) -> Iterator[str]:
    about = dict.fromkeys(
        item.title for report in reports for item in report.evidence if clause in item.clauses
    )
    notes = dict.fromkeys(
        note
        for report in reports
        for each in report.clauses
        if each.clause == clause
        for note in each.notes
    )
    if about or notes:
        counts = ((len(about), "check"), (len(notes), "note"))
        words = ", ".join(f"{n} {word}{'s' if n > 1 else ''}" for n, word in counts if n)
        yield f"<details><summary>{words}</summary><ul>"
        yield from (f"<li>{escape(told)}</li>" for told in (*notes, *about))
        yield "</ul></details>"


def _played(report: Report) -> Iterator[str]:
    for machine in report.machines:
        yield f"<h3>{escape(report.target)}: the machine, {escape(machine.face)} face</h3>"
        yield f"<p>{machine.examples} examples, {machine.steps} steps.</p>"
        yield from _counts(machine)
    told = [item for item in report.evidence if item.passed and item.message]
    if told:
        yield f"<h3>{escape(report.target)}: other tiers</h3><ul>"
        yield from (f"<li>{escape(f'{item.title}: {item.message}')}</li>" for item in told)
        yield "</ul>"


def _counts(machine: MachineReport) -> Iterator[str]:
    for kind, table in machine.counts.items():
        never = sum(not count for count in table.values())
        shut = f", {never} never" if never else ""
        yield f"<details{' open' if never else ''}><summary>{escape(kind)}: {len(table)}{shut}</summary>"
        yield '<ul class="counts">'
        for name, count in table.items():
            told = f"{count}" if count else _pill("never", "care")
            yield f"<li><span>{escape(name)}</span><b>{told}</b></li>"
        yield "</ul></details>"


def _left_out(report: Report) -> Iterator[str]:
    features = report.features
    yield f"<h3>{escape(report.target)}</h3>"
    for words, verbs in (
        ("Verbs that are not supported", features.unsupported),
        ("Verbs that work without being claimed", features.undeclared),
        ("Verbs that fail without saying that they are not supported", features.unclear),
    ):
        if verbs:
            yield f"<p>{words}: {', '.join(f'<code>{escape(verb)}</code>' for verb in verbs)}.</p>"
    if not report.skipped:
        yield "<p>No scenario and no check was left out.</p>"
        return
    yield f"<details><summary>{len(report.skipped)} scenarios and checks</summary><ul>"
    for item in report.skipped:
        yield f"<li>{escape(f'{item.kind} {item.name}: {item.reason}')}</li>"
    yield "</ul></details>"
