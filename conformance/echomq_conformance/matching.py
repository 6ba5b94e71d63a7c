"""Answers and snapshots in plain form, and whether they match what a scenario expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

from echomq_core import Empty, Page, QueueSnapshot, Swept

__all__ = ["NEAR_MS", "mismatch", "payload_bytes", "plain", "snapshot_mismatch"]

NEAR_MS = 5_000


def payload_bytes(value: Any) -> bytes:
    """A payload as scenarios write it: text, `{"hex": ...}` or `{"repeat": [hex, times]}`."""
    if isinstance(value, str):
        return value.encode()
    if "hex" in value:
        return bytes.fromhex(value["hex"])
    unit, times = value["repeat"]
    return bytes.fromhex(unit) * int(times)


def plain(value: Any, now_ms: int) -> Any:
    """An answer as plain data; instants become spans from now (`deadline_ms` → `deadline_in_ms`)."""
    match value:
        case Empty():
            return {"empty": str(value.reason)}
        case Page():
            items = [plain(item, now_ms) for item in value.items]
            return {"items": items, "cursor": None if value.cursor is None else "more"}
        case Enum():
            return value.value
        case list() | tuple():
            return [plain(item, now_ms) for item in value]
    if isinstance(value, Mapping):
        return _relative({key: plain(part, now_ms) for key, part in value.items()}, now_ms)
    if is_dataclass(value):
        found = {f.name: plain(getattr(value, f.name), now_ms) for f in fields(value)}
        if isinstance(value, Swept):
            found["total"] = value.total
        return _relative(found, now_ms)
    return value


def _relative(found: dict[str, Any], now_ms: int) -> dict[str, Any]:
    for name, relative in (("deadline_ms", "deadline_in_ms"), ("due_ms", "due_at_in_ms")):
        if isinstance(found.get(name), int):
            found[relative] = found.pop(name) - now_ms
    return found


def mismatch(expected: Any, got: Any, path: str = "answer") -> str | None:
    """Why a plain answer is not what is expected, or `None`. Objects match by the fields named."""
    if expected == "any":
        return None
    if isinstance(expected, Mapping):
        return _object_mismatch(expected, got, path)
    if isinstance(expected, list):
        if not isinstance(got, list):
            return f"{path}: expected a list {expected!r}, got {got!r}"
        for index, (want, have) in enumerate(zip(expected, got, strict=False)):
            found = mismatch(want, have, f"{path}[{index}]")
            if found is not None:
                return found
        same = len(expected) == len(got)
        return None if same else f"{path}: expected {len(expected)} items, got {got!r}"
    if isinstance(expected, str) and isinstance(got, Mapping) and "id" in got:
        got, path = got["id"], f"{path}.id"
    if isinstance(expected, str) and isinstance(got, bytes):
        expected = expected.encode()
    same = type(expected) is type(got) and expected == got
    return None if same else f"{path}: expected {expected!r}, got {got!r}"


def _object_mismatch(expected: Mapping[str, Any], got: Any, path: str) -> str | None:
    if set(expected) == {"near"}:
        close = type(got) is int and abs(got - expected["near"]) <= NEAR_MS
        return None if close else f"{path}: expected about {expected['near']}, got {got!r}"
    if set(expected) == {"count"}:
        long = isinstance(got, list) and len(got) == expected["count"]
        return None if long else f"{path}: expected {expected['count']} items, got {got!r}"
    if set(expected) & {"hex", "repeat"}:
        same = got == payload_bytes(expected)
        return None if same else f"{path}: expected {expected!r}, got {got!r:.80}"
    if not isinstance(got, Mapping):
        return f"{path}: expected {dict(expected)!r}, got {got!r}"
    for name, want in expected.items():
        if name not in got:
            return f"{path}: expected a field {name!r}, got {dict(got)!r}"
        found = mismatch(want, got[name], f"{path}.{name}")
        if found is not None:
            return found
    return None


def snapshot_mismatch(expected: Mapping[str, Any], snapshot: QueueSnapshot) -> str | None:
    """Why a queue is not what is expected. Each field named is compared whole, `jobs` by id."""
    for name, want in expected.items():
        got = getattr(snapshot, name)
        if name == "jobs":
            found = _jobs_mismatch(want, snapshot)
        elif name in ("active", "schedule") and isinstance(want, Mapping):
            found = _times_mismatch(name, want, got, snapshot.now_ms)
        elif name in ("active", "schedule"):
            order = sorted(got, key=lambda job_id: (got[job_id], job_id.encode()))
            found = mismatch(want, order, name)
        elif name == "paused_groups":
            found = mismatch(sorted(want), sorted(got), name)
        elif isinstance(want, Mapping):
            have = plain(got, 0)
            found = None if want == have else f"{name}: expected {want!r}, got {have!r}"
        else:
            found = mismatch(want, plain(got, 0), name)
        if found is not None:
            return found
    return None


def _times_mismatch(
    name: str, want: Mapping[str, int], got: Mapping[str, int], now_ms: int
) -> str | None:
    if set(want) != set(got):
        return f"{name}: expected {sorted(want)}, got {sorted(got)}"
    for job_id, span in want.items():
        if abs(got[job_id] - now_ms - span) > NEAR_MS:
            return f"{name}[{job_id}]: expected in about {span} ms, got {got[job_id] - now_ms}"
    return None


def _jobs_mismatch(want: Mapping[str, Any], snapshot: QueueSnapshot) -> str | None:
    for job_id, fields_wanted in want.items():
        row = snapshot.jobs.get(job_id)
        if fields_wanted is None:
            if row is not None:
                return f"jobs[{job_id}]: expected no row, got {row!r}"
        elif row is None:
            return f"jobs[{job_id}]: expected {fields_wanted!r}, got no row"
        else:
            found = mismatch(fields_wanted, plain(row, 0), f"jobs[{job_id}]")
            if found is not None:
                return found
    return None
