"""The scripts: one Lua file per verb, and a loader that splices their includes.

`load(name)` is the text that a server runs, `sha1(name)` its digest, `header(name)` what its
machine-read header says. Any language may ship the same files: a line `--- @include x` stands for
the text of `include/x.lua`, each once, dependencies first. An indented include belongs to its
block: it costs nothing where the block is not run, and does not count as included outside.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

__all__ = ["Header", "ScriptError", "assemble", "header", "load", "names", "sha1"]

_INCLUDE = re.compile(r"^( *)--- @include (\w+)\n", re.MULTILINE)
_TAG = re.compile(r"^--- @(clause|arg|returns) (.+)$", re.MULTILINE)


class ScriptError(Exception):
    """A script is missing, or includes something missing or itself."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a script: its purpose in one line, clauses, ARGV names and answer."""

    purpose: str
    flags: tuple[str, ...]
    clauses: tuple[str, ...]
    args: tuple[str, ...]
    returns: str


def names() -> tuple[str, ...]:
    """The names of all scripts, sorted."""
    return tuple(sorted(p.name[:-4] for p in files(__name__).iterdir() if p.name.endswith(".lua")))


@cache
def load(name: str) -> str:
    """The full text of a script, includes spliced. Raises `ScriptError`."""
    return assemble(name, _read)


@cache
def sha1(name: str) -> str:
    """The digest by which a server knows the script (EVALSHA)."""
    return hashlib.sha1(load(name).encode(), usedforsecurity=False).hexdigest()


@cache
def header(name: str) -> Header:
    """What the header of a script says; tests hold it against the body and against the plans."""
    source = _read(f"{name}.lua")
    shebang, purpose = source.split("\n", 2)[:2]
    tags: dict[str, list[str]] = {"clause": [], "arg": [], "returns": []}
    for tag, text in _TAG.findall(source):
        tags[tag].append(text)
    _, _, flags = shebang.partition("flags=")
    return Header(
        purpose=purpose.removeprefix(f"--- {name}: "),
        flags=tuple(flag for flag in flags.split(",") if flag),
        clauses=tuple(" ".join(tags["clause"]).split()),
        args=tuple(text.split()[1] for text in tags["arg"]),
        returns=" ".join(tags["returns"]),
    )


def assemble(name: str, read: Callable[[str], str]) -> str:
    """Splice a script's includes; `read` answers the text of a file by its relative name."""

    def splice(source: str, path: tuple[str, ...], done: set[str]) -> str:
        def included(match: re.Match[str]) -> str:
            indent, part = match.groups()
            if part in path:
                raise ScriptError(f"{' -> '.join((*path, part))}: a script includes itself")
            if part in done:
                return ""
            scope = set(done) if indent else done
            text = splice(read(f"include/{part}.lua"), (*path, part), scope)
            scope.add(part)
            return text

        return _INCLUDE.sub(included, source)

    source = splice(read(f"{name}.lua"), (name,), set())
    if not source.startswith("#!lua"):
        raise ScriptError(f"{name}: a script starts with #!lua (KEYS-2)")
    return source


def _read(path: str) -> str:
    try:
        return files(__name__).joinpath(path).read_text("utf-8")
    except FileNotFoundError:
        raise ScriptError(f"there is no script file {path!r}") from None
