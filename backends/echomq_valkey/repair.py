"""The plan of `fsck`: bounded steps, each an atomic script that checks again what it mends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from echomq_core import Breach, EchoMQError, JobState, Keyspace, ops
from echomq_core.breaches import (
    ghost_entry,
    in_order,
    lost_row,
    ring_membership,
    unusable_setting,
    wrong_book,
    zero_book,
)

from .calls import CommandCall, Steps
from .claims import script
from .parsing import as_text, setting_of
from .reads import PLACES, book, known_groups, ring_names

SUSPECTS_PER_STEP = 500


def fsck(op: ops.Fsck) -> Steps[list[Breach]]:
    """Settings first (they decide who is serviceable), then ghosts, rows, books, and the ring last,
    when lanes and books are right."""
    found: list[Breach] = []
    try:
        yield from _settings(op, found)
        lanes = yield from _scan(op, "g:*:pending")
        yield from _ghosts(op, lanes, found)
        yield from _rows(op, found)
        yield from _books(op, found)
        yield from _ring(op, lanes, found)
    except EchoMQError as error:
        error.done = len(found)
        raise
    return in_order(found)


def _scan(op: ops.Fsck, pattern: str) -> Steps[tuple[str, ...]]:
    """What `*` stands for in every key of the queue of this pattern (RING-6: only fsck scans)."""
    base = Keyspace(op.queue).base
    prefix, suffix = (base + pattern).split("*")
    found: set[str] = set()
    cursor: bytes | int = 0
    while True:
        command = ("SCAN", cursor, "MATCH", base + pattern, "COUNT", 1_000)
        cursor, keys = yield CommandCall(op.verb, command, tuple, key=base, reads=True)
        for key in keys:
            text = as_text(key)
            found.add(text[len(prefix) : len(text) - len(suffix)])
        if int(cursor) == 0:
            return tuple(sorted(found))


def _chunks(items: Iterable[str]) -> Iterator[tuple[str, ...]]:
    listed = tuple(items)
    for start in range(0, len(listed), SUSPECTS_PER_STEP):
        yield listed[start : start + SUSPECTS_PER_STEP]


def _settings(op: ops.Fsck, found: list[Breach]) -> Steps[None]:
    keys = Keyspace(op.queue)
    for key, name in ((keys.limits, "glimit"), (keys.weights, "gweight")):
        stored = yield from book(op, key)
        bad = {group: text for group, text in stored.items() if setting_of(text) is None}
        if bad and op.repair:
            for chunk in _chunks(sorted(bad)):
                pairs = [part for group in chunk for part in (group, bad[group])]
                yield script(op, int, name, *pairs, name="fsck_settings")
        found += [
            unusable_setting(key, group, as_text(text), repaired=op.repair)
            for group, text in bad.items()
        ]


def _ghosts(op: ops.Fsck, lanes: tuple[str, ...], found: list[Breach]) -> Steps[None]:
    base = Keyspace(op.queue).base
    places: list[tuple[str, JobState, str]] = [
        (place, state, "") for state, place in PLACES.items()
    ]
    places += [(f"g:{group}:pending", JobState.PENDING, group) for group in lanes]
    for place, state, group in places:
        after: tuple[Any, Any] = "", ""
        more = True
        while more:
            ghosts, more, *last = yield script(
                op, tuple, place, state, group, *after, int(op.repair), name="fsck_place"
            )
            after = last[0], last[1]
            found += [
                ghost_entry(base + place, group or None, as_text(job_id), repaired=op.repair)
                for job_id in ghosts
            ]


def _rows(op: ops.Fsck, found: list[Breach]) -> Steps[None]:
    keys = Keyspace(op.queue)
    ids = yield from _scan(op, "job:*")
    for chunk in _chunks(ids):
        lost = yield script(op, tuple, int(op.repair), *chunk, name="fsck_rows")
        found += [
            lost_row(
                keys.job(as_text(job_id)),
                None if group is None else as_text(group),
                as_text(job_id),
                as_text(state),
                repaired=op.repair,
            )
            for job_id, state, group in lost
        ]


def _books(op: ops.Fsck, found: list[Breach]) -> Steps[None]:
    key = Keyspace(op.queue).in_flight
    for group, stored, true_count in (yield script(op, tuple, int(op.repair), name="fsck_books")):
        name = as_text(group)
        if true_count == 0 and stored == b"0":
            found.append(zero_book(key, name, repaired=op.repair))
        else:
            text = "0" if stored is None else as_text(stored)
            found.append(wrong_book(key, name, text, true_count, repaired=op.repair))


def _ring(op: ops.Fsck, lanes: tuple[str, ...], found: list[Breach]) -> Steps[None]:
    """Whatever the paged reads make suspect (the ring turns meanwhile) is judged by one script."""
    keys = Keyspace(op.queue)
    listed = yield from ring_names(op)
    known = yield from known_groups(op)
    once = _once(listed)
    full = yield from _unserviceable(op, tuple(sorted(once)))
    suspects = ({*lanes, *known, *listed} - once) | full
    for chunk in _chunks(sorted(suspects)):
        wrong = yield script(op, tuple, int(op.repair), *chunk, name="fsck_ring")
        found += [
            ring_membership(keys.ring, as_text(group), times, right, repaired=op.repair)
            for group, times, right in wrong
        ]


def _once(listed: tuple[str, ...]) -> set[str]:
    seen: set[str] = set()
    twice: set[str] = set()
    for name in listed:
        (twice if name in seen else seen).add(name)
    return seen - twice


def _unserviceable(op: ops.Fsck, names: tuple[str, ...]) -> Steps[set[str]]:
    found: set[str] = set()
    for start in range(0, len(names), SUSPECTS_PER_STEP):
        chunk = names[start : start + SUSPECTS_PER_STEP]
        _, *rows = yield script(op, tuple, *chunk, name="lanes")
        for name, (depth, in_flight, raw_limit, _, paused, _) in zip(chunk, rows, strict=True):
            limit = setting_of(raw_limit)
            if not depth or paused or (limit is not None and in_flight >= limit):
                found.add(name)
    return found
