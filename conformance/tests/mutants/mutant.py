"""A mutant: one deliberate fault, put into the sources by exact edits, and who must catch it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Edit", "EditError", "Mutant", "Where", "edited"]

Where = Literal["model", "scripts", "core", "valkey"]
"""What carries the fault: the memory model (a copy of it, beside the true one), the Lua scripts, or
functions of `echomq_core` or `echomq_valkey`."""


class EditError(ValueError):
    """An edit does not match its file exactly once: the mutant would be none, or two."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace `old`, which occurs once in `file`, by `new`."""

    file: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault. `clause` is what it breaks, and what the kit must name.

    `killed_by`: `named`, a scenario or check of the clause; or `concurrent`, for faults that only
    several clients at once can show; `passes` is then what must *not* notice it.
    """

    id: str
    clause: str
    where: Where
    edits: tuple[Edit, ...]
    killed_by: Literal["named", "concurrent"] = "named"
    passes: Literal["", "machine"] = ""

    @property
    def files(self) -> str:
        return ", ".join(dict.fromkeys(edit.file for edit in self.edits))


def edited(edits: tuple[Edit, ...], read: Callable[[str], str]) -> Mapping[str, str]:
    """The changed texts by file. Raises `EditError` unless each edit matches exactly once."""
    texts: dict[str, str] = {}
    for edit in edits:
        text = texts.get(edit.file) or read(edit.file)
        times = text.count(edit.old)
        if times != 1:
            raise EditError(f"{edit.file}: matches {times} times: {edit.old!r}")
        if edit.old == edit.new:
            raise EditError(f"{edit.file}: the edit changes nothing: {edit.old!r}")
        texts[edit.file] = text.replace(edit.old, edit.new)
    return texts
