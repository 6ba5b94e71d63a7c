"""The first field in which the target's answer or queue differs from what the oracle expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from echomq_core import Explanation, Lane, QueueSnapshot, ops

__all__ = ["Difference", "Times", "answer_difference", "snapshot_difference"]

_INSTANTS = frozenset({"deadline_ms", "due_ms"})
_SPANS = frozenset({"due_in_ms"})
_NOT_COMPARED: dict[type, frozenset[str]] = {
    Explanation: frozenset({"text"}),
    Lane: frozenset({"oldest_age_ms"}),
}
"""Words for people, and ages (real time against the oracle's); these have checks of their own."""


@dataclass(frozen=True, slots=True)
class Difference:
    """`path` names the field, as in `jobs['JOB...'].attempts`."""

    path: str
    expected: object
    got: object


@dataclass(frozen=True, slots=True)
class Times:
    """How instants of the target relate to the oracle's: it may lag by `shift_ms`, to `slack_ms`.

    A store with its own clock is aged by moving its scores into the past; so its instants are the
    oracle's less all the ageing so far, give or take the real time that passed.
    """

    shift_ms: int = 0
    slack_ms: int = 0

    def same_instant(self, expected: object, got: object) -> bool:
        if type(expected) is not int or type(got) is not int:
            return expected == got
        return abs(expected - self.shift_ms - got) <= self.slack_ms

    def same_span(self, expected: object, got: object) -> bool:
        if type(expected) is not int or type(got) is not int:
            return expected == got
        return abs(expected - got) <= self.slack_ms


def answer_difference(op: ops.Op[Any], expected: Any, got: Any, times: Times) -> Difference | None:
    """The first field in which two answers to one verb differ."""
    if isinstance(op, ops.NextDue):
        same = times.same_span(expected, got)
        return None if same else Difference("answer", expected, got)
    if isinstance(op, ops.Snapshot):
        return snapshot_difference(expected, got, times)
    return _difference("answer", expected, got, times)


def snapshot_difference(
    expected: QueueSnapshot, got: QueueSnapshot, times: Times
) -> Difference | None:
    """The first field in which two snapshots differ; the clock itself is not compared."""
    for field in fields(QueueSnapshot):
        want, have = getattr(expected, field.name), getattr(got, field.name)
        if field.name == "now_ms" or (want == have and field.name not in ("active", "schedule")):
            continue
        if field.name in ("active", "schedule"):
            found = _instants(field.name, want, have, times)
        else:
            found = _difference(field.name, want, have, times)
        if found is not None:
            return found
    return None


def _instants(
    path: str, expected: Mapping[str, int], got: Mapping[str, int], times: Times
) -> Difference | None:
    for key in sorted({*expected, *got}):
        want, have = expected.get(key), got.get(key)
        if not times.same_instant(want, have):
            return Difference(f"{path}[{key!r}]", want, have)
    if _order(expected) != _order(got):
        return Difference(f"{path} (order by time, then id)", _order(expected), _order(got))
    return None


def _order(places: Mapping[str, int]) -> list[str]:
    return sorted(places, key=lambda job_id: (places[job_id], job_id.encode()))


def _difference(path: str, expected: Any, got: Any, times: Times) -> Difference | None:
    if isinstance(expected, Mapping) and isinstance(got, Mapping):
        return _mappings(path, expected, got, times)
    if type(expected) is not type(got) and not _same_text(path, expected, got):
        return Difference(path, expected, got)
    if is_dataclass(expected):
        return _dataclasses(path, expected, got, times)
    if isinstance(expected, list | tuple):
        for index, (want, have) in enumerate(zip(expected, got, strict=False)):
            found = _difference(f"{path}[{index}]", want, have, times)
            if found is not None:
                return found
        if len(expected) != len(got):
            return Difference(f"{path} (length)", expected, got)
        return None
    return None if expected == got else Difference(path, expected, got)


def _same_text(path: str, expected: object, got: object) -> bool:
    """A row's state may be plain text; the verdicts of verbs are the spec's enumerations."""
    return path.endswith(".state") and isinstance(got, str) and expected == got


def _dataclasses(path: str, expected: Any, got: Any, times: Times) -> Difference | None:
    ignored = _NOT_COMPARED.get(type(expected), frozenset())
    for field in fields(expected):
        if field.name in ignored:
            continue
        found = _named(
            f"{path}.{field.name}",
            field.name,
            getattr(expected, field.name),
            getattr(got, field.name),
            times,
        )
        if found is not None:
            return found
    return None


def _mappings(
    path: str, expected: Mapping[Any, Any], got: Mapping[Any, Any], times: Times
) -> Difference | None:
    for key in [*expected, *(key for key in got if key not in expected)]:
        if (key in expected) != (key in got):
            return Difference(f"{path}[{key!r}]", expected.get(key), got.get(key))
        found = _named(f"{path}[{key!r}]", str(key), expected[key], got[key], times)
        if found is not None:
            return found
    return None


def _named(path: str, name: str, expected: Any, got: Any, times: Times) -> Difference | None:
    if name in _INSTANTS:
        return None if times.same_instant(expected, got) else Difference(path, expected, got)
    if name in _SPANS:
        return None if times.same_span(expected, got) else Difference(path, expected, got)
    return _difference(path, expected, got, times)
