"""Scenarios as data: short traces of verbs with the answers that the prose demands.

They are worked out by hand and name no language; the format is described in `scenarios/README.md`.
This module reads and checks them; `playing` carries them out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from echomq_core.clauses import CLAUSES

from .profiles import VERB_PROFILES

__all__ = ["Scenario", "ScenarioError", "load_scenarios", "read_scenarios"]

STEP_KINDS = ("do", "advance_ms", "lose_row", "see")
PLACEHOLDER = re.compile(r"\$[A-Z][A-Z0-9]*")


class ScenarioError(ValueError):
    """A scenario file does not keep to the format; the message says where."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One trace. `profiles` follow from its verbs; `ids` are its placeholders in byte order."""

    name: str
    title: str
    clauses: tuple[str, ...]
    cases: tuple[str, ...]
    steps: tuple[Mapping[str, Any], ...]
    profiles: frozenset[str]
    ids: tuple[str, ...]


def load_scenarios() -> list[Scenario]:
    """All scenarios of the kit, in order of file and place."""
    folder = files("echomq_conformance") / "scenarios"
    paths = sorted((path for path in folder.iterdir() if path.name.endswith(".json")), key=str)
    found = [
        scenario
        for path in paths
        for scenario in read_scenarios(path.read_text("utf-8"), path.name)
    ]
    names = [scenario.name for scenario in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ScenarioError(f"scenario names used twice: {twice}")
    return found


def read_scenarios(text: str, file: str) -> Iterator[Scenario]:
    """The scenarios in one file's text. Raises `ScenarioError` naming file, scenario and step."""
    try:
        entries = json.loads(text)
    except json.JSONDecodeError as wrong:
        raise ScenarioError(f"{file}: {wrong}") from wrong
    if not isinstance(entries, list):
        raise ScenarioError(f"{file}: a list of scenarios is expected")
    for entry in entries:
        yield _scenario(entry, file)


def _scenario(entry: Mapping[str, Any], file: str) -> Scenario:
    at = f"{file}: {entry.get('name', '(no name)')}"
    unknown = set(entry) - {"name", "title", "clauses", "cases", "steps"}
    missing = {"name", "title", "clauses", "steps"} - set(entry)
    if unknown or missing:
        raise ScenarioError(f"{at}: missing {sorted(missing)}, unknown {sorted(unknown)}")
    strangers = [clause for clause in entry["clauses"] if clause not in CLAUSES]
    if strangers or not entry["clauses"]:
        raise ScenarioError(f"{at}: unknown clauses {strangers}" if strangers else f"{at}: none")
    for index, step in enumerate(entry["steps"]):
        _check_step(step, f"{at}, step {index}")
    verbs = [step["do"] for step in entry["steps"] if "do" in step]
    return Scenario(
        entry["name"],
        entry["title"],
        tuple(entry["clauses"]),
        tuple(entry.get("cases", ())),
        tuple(entry["steps"]),
        frozenset({"core", *(VERB_PROFILES[verb] for verb in verbs)}),
        tuple(sorted(set(PLACEHOLDER.findall(json.dumps(entry["steps"]))))),
    )


def _check_step(step: Mapping[str, Any], at: str) -> None:
    kinds = [kind for kind in STEP_KINDS if kind in step]
    if len(kinds) != 1:
        raise ScenarioError(f"{at}: exactly one of {', '.join(STEP_KINDS)}, found {kinds}")
    if kinds == ["do"]:
        if step["do"] not in VERB_PROFILES:
            raise ScenarioError(f"{at}: unknown verb {step['do']!r}")
        if "expect" in step and "raises" in step:
            raise ScenarioError(f"{at}: a verb answers or raises, not both")
        if "expect" not in step and "raises" not in step:
            raise ScenarioError(f"{at}: every verb has an expected answer ('any' if none matters)")


def names_in(value: Any) -> Sequence[str]:
    """The placeholders in a value."""
    return PLACEHOLDER.findall(json.dumps(value))
