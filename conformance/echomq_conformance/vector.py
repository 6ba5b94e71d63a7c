"""Interop vectors as data: keys given, one verb, its answer, the keys afterwards.

The format is described in `vectors/README.md`. What is read here has been checked whole, so the
code that plays a vector meets no surprise.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from echomq_core import errors
from echomq_core.clauses import CLAUSES

from .profiles import VERB_PROFILES

__all__ = ["AS_GIVEN", "NOW_PLUS", "Vector", "VectorError", "load_vectors", "read_vectors"]

AS_GIVEN = "as given"
"""In `after`: the key holds exactly what `given` put there."""

NOW_PLUS = "now_plus"
"""A score or a time that depends on the server's clock, in ms from the instant of the call."""

_NEEDED = {"name", "title", "clauses", "given", "call", "after"}
_KINDS: dict[str, type] = {"hash": dict, "zset": dict, "list": list, "set": list, "string": str}

Keys = Mapping[str, Mapping[str, Any]]


class VectorError(ValueError):
    """A file of vectors does not keep to the format; the message says where."""


@dataclass(frozen=True, slots=True)
class Vector:
    """One call on given keys. Key names are without the base `emq:{q}:` of the queue.

    `script`: the name and the ARGV of our script for the call, where the vector tells them; KEYS
    are the base key and `meta`. `raises`: the name of an error, and then there is no answer.
    `after` has every key that is there afterwards, the unchanged ones in full too.
    """

    name: str
    title: str
    clauses: tuple[str, ...]
    given: Keys
    verb: str
    args: Mapping[str, Any]
    script: tuple[str, tuple[str, ...]] | None
    answer: Any
    raises: str | None
    after: Keys


def load_vectors() -> list[Vector]:
    """All vectors of the kit, in order of file and place. Raises `VectorError`."""
    folder = files("echomq_conformance") / "vectors"
    paths = sorted((path for path in folder.iterdir() if path.name.endswith(".json")), key=str)
    found = [v for path in paths for v in read_vectors(path.read_text("utf-8"), path.name)]
    names = [vector.name for vector in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise VectorError(f"names used twice: {twice}")
    return found


def read_vectors(text: str, file: str) -> Iterator[Vector]:
    """The vectors in one file's text. Raises `VectorError` naming file, vector and key."""
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise VectorError(f"{file}: {wrong}") from wrong
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise VectorError(f"{file}: a list of objects is expected")
    for entry in entries:
        yield _vector(entry, f"{file}: {entry.get('name', '(no name)')}")


def _vector(entry: Mapping[str, Any], at: str) -> Vector:
    unknown = set(entry) - _NEEDED - {"script", "answer", "raises"}
    missing = _NEEDED - set(entry)
    if unknown or missing:
        raise VectorError(f"{at}: missing {sorted(missing)}, unknown {sorted(unknown)}")
    strangers = [clause for clause in entry["clauses"] if clause not in CLAUSES]
    if strangers or not entry["clauses"]:
        raise VectorError(f"{at}: clauses of the spec are expected, not {strangers}")
    verb, args = _call(entry["call"], at)
    if ("answer" in entry) == ("raises" in entry):
        raise VectorError(f"{at}: a verb answers or raises, one of the two")
    if "raises" in entry and entry["raises"] not in errors.__all__:
        raise VectorError(f"{at}: unknown error {entry['raises']!r}")
    for name, value in entry["given"].items():
        _check_value(value, f"{at}: given {name}")
    after = {}
    for name, value in entry["after"].items():
        if value == AS_GIVEN:
            if name not in entry["given"]:
                raise VectorError(f"{at}: after {name}: it was not given")
            after[name] = entry["given"][name]
        else:
            _check_value(value, f"{at}: after {name}")
            after[name] = value
    return Vector(
        entry["name"],
        entry["title"],
        tuple(entry["clauses"]),
        entry["given"],
        verb,
        args,
        _script(entry.get("script"), at),
        entry.get("answer"),
        entry.get("raises"),
        after,
    )


def _call(call: Mapping[str, Any], at: str) -> tuple[str, Mapping[str, Any]]:
    if set(call) != {"verb", "args"} or not isinstance(call["args"], dict):
        raise VectorError(f"{at}: a call has a verb and args")
    if call["verb"] not in VERB_PROFILES:
        raise VectorError(f"{at}: unknown verb {call['verb']!r}")
    return call["verb"], call["args"]


def _script(script: Mapping[str, Any] | None, at: str) -> tuple[str, tuple[str, ...]] | None:
    if script is None:
        return None
    if set(script) != {"name", "argv"} or not all(isinstance(arg, str) for arg in script["argv"]):
        raise VectorError(f"{at}: a script has a name and argv, a list of texts")
    return script["name"], tuple(script["argv"])


def _check_value(value: Any, at: str) -> None:
    if not isinstance(value, dict) or len(value) != 1 or not set(value) <= set(_KINDS):
        raise VectorError(f"{at}: one of {', '.join(_KINDS)} is expected, not {value!r}")
    ((kind, held),) = value.items()
    of_its_kind = isinstance(held, _KINDS[kind])
    if not of_its_kind or not held:
        raise VectorError(f"{at}: a {kind} that is not empty is expected, not {held!r}")
    if kind == "string":
        return
    right = _RIGHT.get(kind, _is_text)
    wrong = [item for item in (held.values() if kind in _MAPS else held) if not right(item)]
    if wrong:
        raise VectorError(f"{at}: a {kind} cannot hold {wrong[0]!r}")
    if kind == "set" and len(set(held)) != len(held):
        raise VectorError(f"{at}: a member is there twice")


def _is_text(value: Any) -> bool:
    """Text, or bytes that are none as `{"hex": digits}`."""
    if isinstance(value, dict) and set(value) == {"hex"}:
        try:
            bytes.fromhex(value["hex"])
        except (TypeError, ValueError):
            return False
        return True
    return isinstance(value, str)


def _is_score(value: Any) -> bool:
    if isinstance(value, dict) and set(value) == {NOW_PLUS}:
        value = value[NOW_PLUS]
    return isinstance(value, int) and not isinstance(value, bool)


_MAPS = ("hash", "zset")
_RIGHT: dict[str, Callable[[Any], bool]] = {
    "zset": _is_score,
    "set": lambda value: isinstance(value, str),
}
