"""Small changes to Lua text, one at a time: what a slip of the pen would be.

No mutation tool knows Lua, so this reads lines: it leaves comments alone, and text literals but for
the words of a server command that have an opposite.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Change", "lua_changes"]


@dataclass(frozen=True, slots=True)
class Change:
    """One change: `operator` names its kind, `line` counts from 1."""

    file: str
    operator: str
    line: int
    before: str
    after: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.file}:{self.line} {self.operator}: {self.before} => {self.after or '(gone)'}"


_SWAPS: tuple[tuple[str, str, str], ...] = (
    ("equal", r"==", "~="),
    ("unequal", r"~=", "=="),
    ("less", r"<(?!=)", "<="),
    ("at most", r"<=", "<"),
    ("more", r"(?<![=~<>])>(?!=)", ">="),
    ("at least", r">=", ">"),
    ("plus", r" \+ ", " - "),
    ("minus", r" - ", " + "),
    ("and", r"\band\b", "or"),
    ("or", r"\bor\b", "and"),
    ("not", r"\bnot ", ""),
    ("true", r"\btrue\b", "false"),
    ("false", r"\bfalse\b", "true"),
    ("min", r"math\.min", "math.max"),
    ("max", r"math\.max", "math.min"),
)
_WORDS: tuple[tuple[str, str, str], ...] = (
    ("left", "'LEFT'", "'RIGHT'"),
    ("right", "'RIGHT'", "'LEFT'"),
    ("rpush", "'RPUSH'", "'LPUSH'"),
    ("lpop", "'LPOP'", "'RPOP'"),
    ("exclusive", "'\\('", "''"),
    ("flag", "'1'", "'0'"),
)
_NUMBER = re.compile(r"(?<![\w.%'])\d+(?![\w.%'])")
_CONDITION = re.compile(r"^(\s*(?:if|elseif) )(.+)( then)$")
_CALL = re.compile(r"^\s*(?!return|local|function|if|for)[\w.]+\(.*\)$")
_ASSIGNMENT = re.compile(r"^\s*(?!local|return|if|for|function)[\w.\[\], ]+ = [^{]+[^,{(]$")
_BREAK = re.compile(r"^\s*break$")


def lua_changes(file: str, text: str) -> Iterator[Change]:
    """Every change of one file, in order of line and operator."""
    lines = text.split("\n")
    for index, line in enumerate(lines):
        if line.lstrip().startswith("--") or line.startswith("#!"):
            continue
        for operator, new in _changed(line):

            def whole(new: str = new, index: int = index) -> str:
                return "\n".join([*lines[:index], *([new] if new else []), *lines[index + 1 :]])

            before, after = line.strip(), new.strip()
            yield Change(file, operator, index + 1, before, after, whole())


def _changed(line: str) -> Iterator[tuple[str, str]]:
    code = _without_texts(line)
    for operator, pattern, new in _SWAPS:
        yield from _each(operator, line, code, pattern, new)
    for operator, pattern, new in _WORDS:
        yield from _each(operator, line, line, pattern, new)
    for operator, by in (("one more", 1), ("one less", -1)):
        yield from _each(operator, line, code, _NUMBER, by)
    condition = _CONDITION.match(line)
    if condition:
        for word in ("true", "false"):
            yield f"always {word}", f"{condition[1]}{word}{condition[3]}"
    if _CALL.match(line) or _ASSIGNMENT.match(line) or _BREAK.match(line):
        yield "dropped", ""


def _each(
    operator: str,
    line: str,
    code: str,
    pattern: str | re.Pattern[str],
    new: str | int,
) -> Iterator[tuple[str, str]]:
    """`new` takes the place of each match; a number is added to it."""
    for match in re.finditer(pattern, code):
        put = new if isinstance(new, str) else str(int(match[0]) + new)
        yield operator, line[: match.start()] + put + line[match.end() :]


def _without_texts(line: str) -> str:
    """The line with the inside of its text literals blanked, so that places stay the same."""
    return re.sub(r"'[^']*'", lambda text: "'" + "\0" * (len(text[0]) - 2) + "'", line)
