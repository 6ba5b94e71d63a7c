"""A proof as a picture: one row for each client, time from left to right, as text and as SVG."""

from __future__ import annotations

from html import escape

from .history import History, Recorded
from .proof import Proof
from .wording import answer_text, call_text

__all__ = ["as_svg", "as_text"]


def _line(history: History, index: int) -> str:
    """An operation with its letter, its call and its answer."""
    each = history.operations[index]
    return f"{_mark(index)}  client {each.client}: {_told(each)}"


def _told(each: Recorded) -> str:
    if not each.known:
        return f"{call_text(each.op)} -> ? (no reply: it took effect later, or never)"
    return f"{call_text(each.op)} -> {answer_text(each.answer)}"


def _mark(index: int) -> str:
    """A, B, ... Z, A1, B1, ..."""
    round_, letter = divmod(index, 26)
    return chr(ord("A") + letter) + (str(round_) if round_ else "")


def _width(history: History) -> int:
    ends = [each.called for each in history.operations]
    ends += [each.returned for each in history.operations if each.returned is not None]
    return max(ends) + 1


_CELL = 2


def as_text(proof: Proof) -> str:
    """The picture, then each operation with its answer, then what was expected."""
    history = proof.core
    width = _width(history) * _CELL + 1
    lines = []
    for client in history.clients:
        row = [" "] * width
        for index, each in enumerate(history.operations):
            if each.client == client:
                _draw(row, index, each, width)
        lines.append(f"client {client}  {''.join(row).rstrip()}")
    lines.append("")
    for index in range(len(history.operations)):
        sign = ">>" if index == proof.culprit else "  "
        lines.append(f"{sign} {_line(history, index)}")
    lines += ["", f">> {_mark(proof.culprit)}: {proof.violation()}"]
    lines.append(
        f"{proof.legal} operations of the whole history had returned in a legal order; it was:"
    )
    lines += [
        f"   {place}. client {each.client}: {_told(each)}"
        for place, each in enumerate(proof.order, 1)
    ]
    return "\n".join(lines) + "\n"


def _draw(row: list[str], index: int, each: Recorded, width: int) -> None:
    """`|A--|`, open to the right (`|A··`) for an unknown outcome."""
    start = each.called * _CELL
    end = width - 1 if each.returned is None else each.returned * _CELL
    fill = "·" if each.returned is None else "-"
    for place in range(start, end + 1):
        if row[place] == " ":
            row[place] = fill
    row[start] = "|"
    if each.returned is not None:
        row[end] = "|"
    for offset, letter in enumerate(_mark(index), 1):
        if start + offset < end:
            row[start + offset] = letter


_UNIT, _ROW, _LEFT, _TOP = 34, 46, 84, 16

_STYLE = (
    "svg{font:13px ui-monospace,monospace;color-scheme:light dark}"
    "text{fill:#1b1f24}.op{fill:#cfe3ff;stroke:#2f6fcb}.bad{fill:#ffd5d2;stroke:#c62828}"
    ".open{fill:#eee;stroke:#888;stroke-dasharray:4 3}.rail{stroke:#c5cad1}"
    "@media (prefers-color-scheme:dark){text{fill:#e8eaed}.op{fill:#1f3a5f;stroke:#7fb0ff}"
    ".bad{fill:#5c1f1c;stroke:#ff8a80}.open{fill:#333;stroke:#999}.rail{stroke:#444}}"
)


def as_svg(proof: Proof) -> str:
    """One self-contained picture; each operation has its call and answer as a tooltip and below."""
    history = proof.core
    clients = history.clients
    legend = _TOP + _ROW * len(clients) + 14
    told = [_line(history, index) for index in range(len(history.operations))]
    right = _LEFT + _UNIT * _width(history) + 20
    width = max(right, 30 + 8 * max(len(line) for line in told))
    height = legend + 20 * len(told) + 16
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<title>{escape(str(proof.violation()))}</title><style>{_STYLE}</style>",
    ]
    for row, client in enumerate(clients):
        y = _TOP + _ROW * row
        parts.append(f'<text x="8" y="{y + 20}">client {client}</text>')
        parts.append(
            f'<line class="rail" x1="{_LEFT}" x2="{right - 10}" y1="{y + 15}" y2="{y + 15}"/>'
        )
    for index, each in enumerate(history.operations):
        y = _TOP + _ROW * clients.index(each.client)
        x = _LEFT + _UNIT * each.called
        end = right - 14 if each.returned is None else _LEFT + _UNIT * each.returned
        kind = "bad" if index == proof.culprit else "op" if each.known else "open"
        parts.append(
            f'<g><title>{escape(told[index])}</title><rect class="{kind}" x="{x}" y="{y}" '
            f'width="{end - x}" height="30" rx="4"/>'
            f'<text x="{x + 6}" y="{y + 20}">{_mark(index)}</text></g>'
        )
    parts += [
        f'<text x="8" y="{legend + 20 * (line + 1)}">{escape(text)}</text>'
        for line, text in enumerate(told)
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"
