"""Plans of the reads. Lists of lanes come from the ring, `paused` and the books (RING-6)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, TypeVar

from echomq_core import (
    Explanation,
    JobRecord,
    JobState,
    Keyspace,
    Lane,
    LaneSettings,
    Page,
    QueueSnapshot,
    QueueTooLarge,
    Stats,
    minted_at_ms,
    ops,
)
from echomq_core.cursors import decode_cursor, encode_cursor
from echomq_core.explaining import LaneFacts, explain_job, explain_lane

from .calls import Arg, CommandCall, ScriptCall, Steps
from .claims import script
from .parsing import as_text, pairs_of, record_of, setting_of, texts

T = TypeVar("T")

NAMES_PER_STEP = 1_000
PLACES = {JobState.ACTIVE: "active", JobState.SCHEDULED: "schedule", JobState.DEAD: "dead"}


def job(op: ops.ReadJob) -> Steps[JobRecord | None]:
    key = Keyspace(op.queue).job(op.job_id)
    row: dict[bytes, bytes] = yield CommandCall(
        op.verb, ("HGETALL", key), lambda reply: dict(pairs_of(reply)), key=key, reads=True
    )
    if not row:
        return None
    fields = ("state", "attempts", "payload", "group", "last_error", "forgiven", "lapsed")
    return record_of((op.job_id.encode(), *(row.get(name.encode()) for name in fields)))


def depth(op: ops.Depth) -> Steps[int]:
    key = Keyspace(op.queue).lane(op.group)
    size: int = yield CommandCall(op.verb, ("ZCARD", key), int, key=key, reads=True)
    return size


def depths(op: ops.Depths) -> Steps[dict[str, int]]:
    return (yield from _depths(op, op.groups))


def _depths(op: ops.QueueOp[Any], groups: tuple[str, ...]) -> Steps[dict[str, int]]:
    found: dict[str, int] = {}
    for chunk in _chunks(groups):
        sizes = yield script(op, tuple, *chunk, name="depths")
        found.update(zip(chunk, sizes, strict=True))
    return found


def _chunks(names: tuple[str, ...]) -> Iterable[tuple[str, ...]]:
    for start in range(0, len(names), NAMES_PER_STEP):
        yield names[start : start + NAMES_PER_STEP]


# --- names of groups --------------------------------------------------------------------------


def ring_names(op: ops.QueueOp[Any]) -> Steps[tuple[str, ...]]:
    """The whole ring in bounded steps; a lane that is served meanwhile may be missed or met twice."""
    key = Keyspace(op.queue).ring
    names: list[str] = []
    while True:
        span = (len(names), len(names) + NAMES_PER_STEP - 1)
        page = yield CommandCall(op.verb, ("LRANGE", key, *span), texts, key=key, reads=True)
        names += page
        if len(page) < NAMES_PER_STEP:
            return tuple(names)


def book(op: ops.QueueOp[Any], key: str) -> Steps[dict[str, bytes]]:
    """A book or a setting in bounded steps, as stored."""
    found: dict[str, bytes] = {}
    cursor: bytes | int = 0
    while True:
        command = ("HSCAN", key, cursor, "COUNT", NAMES_PER_STEP)
        cursor, fields = yield CommandCall(op.verb, command, tuple, key=key, reads=True)
        found.update((as_text(name), value) for name, value in pairs_of(fields))
        if int(cursor) == 0:
            return found


def paused_names(op: ops.QueueOp[Any]) -> Steps[frozenset[str]]:
    key = Keyspace(op.queue).paused
    found: set[str] = set()
    cursor: bytes | int = 0
    while True:
        command = ("SSCAN", key, cursor, "COUNT", NAMES_PER_STEP)
        cursor, names = yield CommandCall(op.verb, command, tuple, key=key, reads=True)
        found.update(texts(names))
        if int(cursor) == 0:
            return frozenset(found)


def known_groups(op: ops.QueueOp[Any]) -> Steps[tuple[str, ...]]:
    """Every group that may have a nonempty lane or work in flight, in byte order."""
    on_ring = yield from ring_names(op)
    paused = yield from paused_names(op)
    in_flight = yield from book(op, Keyspace(op.queue).in_flight)
    return tuple(sorted({*on_ring, *paused, *in_flight}))


# --- lists of lanes ---------------------------------------------------------------------------


def stats(op: ops.ReadStats) -> Steps[Stats]:
    active, scheduled, dead, completed, failed, serviceable, paused, wakes = yield script(
        op, tuple, name="sizes"
    )
    groups = yield from known_groups(op)
    sizes = yield from _depths(op, groups)
    in_flight = yield from book(op, Keyspace(op.queue).in_flight)
    listed = [g for g in groups if sizes[g] or setting_of(in_flight.get(g))]
    return Stats(
        pending=sum(sizes.values()),
        active=active,
        scheduled=scheduled,
        dead=dead,
        completed=int(completed),
        failed=int(failed),
        lanes=len(listed),
        serviceable=serviceable,
        paused_lanes=paused,
        wakes=wakes,
    )


def _after(read: str, names: tuple[str, ...], cursor: str | None) -> tuple[str, ...]:
    last = decode_cursor(read, cursor, str)
    return names if last is None else names[bisect_right(names, str(last[0])) :]


def _lane_facts(
    op: ops.QueueOp[Any], names: tuple[str, ...]
) -> Steps[list[tuple[str, Lane, LaneSettings]]]:
    found = []
    for chunk in _chunks(names):
        now_ms, *rows = yield script(op, tuple, *chunk, name="lanes")
        for name, (depth, in_flight, raw_limit, raw_weight, paused, oldest) in zip(
            chunk, rows, strict=True
        ):
            minted = minted_at_ms(as_text(oldest)) if oldest else None
            age = None if minted is None else max(now_ms - minted, 0)
            limit, weight = setting_of(raw_limit), setting_of(raw_weight)
            lane = Lane(name, depth, in_flight, limit, weight or 1, paused == 1, age)
            idle = not depth and not in_flight
            settings = LaneSettings(name, limit, weight, paused == 1, idle)
            found.append((name, lane, settings))
    return found


def lanes(op: ops.Lanes) -> Steps[Page[Lane]]:
    names = _after(op.verb, (yield from known_groups(op)), op.cursor)
    page = names[: op.limit]
    facts = yield from _lane_facts(op, page)
    found = tuple(lane for _, lane, _ in facts if lane.depth or lane.in_flight)
    return Page(found, encode_cursor(op.verb, page[-1]) if len(names) > op.limit else None)


def configuration(op: ops.Configuration) -> Steps[Page[LaneSettings]]:
    keys = Keyspace(op.queue)
    limits = yield from book(op, keys.limits)
    weights = yield from book(op, keys.weights)
    paused = yield from paused_names(op)
    names = _after(op.verb, tuple(sorted({*limits, *weights, *paused})), op.cursor)
    page = names[: op.limit]
    facts = yield from _lane_facts(op, page)
    found = tuple(settings for _, _, settings in facts)
    return Page(found, encode_cursor(op.verb, page[-1]) if len(names) > op.limit else None)


def ring(op: ops.Ring) -> Steps[Page[str]]:
    start = decode_cursor(op.verb, op.cursor, int)
    offset = int(start[0]) if start else 0
    key = Keyspace(op.queue).ring
    span = (offset, offset + op.limit)  # one more than asked for tells whether this is the end
    names = yield CommandCall(op.verb, ("LRANGE", key, *span), texts, key=key, reads=True)
    more = len(names) > op.limit
    return Page(names[: op.limit], encode_cursor(op.verb, offset + op.limit) if more else None)


# --- lists of jobs ----------------------------------------------------------------------------


def _rows(
    op: ops.QueueOp[Any],
    place: str,
    state: JobState,
    after: tuple[Arg, str],
    limit: int,
    group: str = "",
) -> Steps[tuple[tuple[JobRecord, ...], tuple[int, str] | None]]:
    """One page of a place, and after which entry the next one starts (`None` at the end)."""
    found, score, last = yield script(op, tuple, place, state, group, *after, limit, name="rows")
    records = tuple(record_of(fields) for fields in found)
    return records, (int(float(score)), as_text(last)) if score else None


def _place_page(
    op: ops.DeadJobs | ops.Browse, read: str, state: JobState
) -> Steps[Page[JobRecord]]:
    last = decode_cursor(read, op.cursor, int, str)
    after = (last[0], str(last[1])) if last else ("", "")
    records, end = yield from _rows(op, PLACES[state], state, after, op.limit)
    return Page(records, encode_cursor(read, *end) if end else None)


def dead_jobs(op: ops.DeadJobs) -> Steps[Page[JobRecord]]:
    return (yield from _place_page(op, op.verb, JobState.DEAD))


def browse(op: ops.Browse) -> Steps[Page[JobRecord]]:
    read = f"{op.verb} {op.state}"
    if op.state != JobState.PENDING:
        return (yield from _place_page(op, read, op.state))
    names = yield from known_groups(op)
    after: tuple[Arg, str] = ("", "")
    last = decode_cursor(read, op.cursor, str, str)
    if last is not None:
        current = str(last[0])
        after = (0, str(last[1]))
        names = (current, *names[bisect_right(names, current) :])
    found: list[JobRecord] = []
    for name in names:
        end: tuple[Arg, str] | None = after
        while end is not None:
            if len(found) == op.limit:
                # Whatever is left starts after the last job found, be it in this lane or the next.
                return Page(tuple(found), encode_cursor(read, found[-1].group or "", found[-1].id))
            place = f"g:{name}:pending"
            room = op.limit - len(found)
            records, end = yield from _rows(op, place, JobState.PENDING, end, room, name)
            found += records
        after = ("", "")
    return Page(tuple(found), None)


# --- one consistent view ----------------------------------------------------------------------


def explain(op: ops.Explain) -> Steps[Explanation]:
    (
        now_ms,
        row,
        score,
        group,
        depth,
        in_flight,
        raw_limit,
        paused,
        queue_paused,
        ring_position,
        lane_position,
        holders,
    ) = yield script(op, tuple, op.job_id or "", op.group or "")
    lane = None
    if group:
        lane = LaneFacts(
            group=as_text(group),
            depth=depth,
            in_flight=in_flight,
            limit=setting_of(raw_limit),
            paused=paused == 1,
            queue_paused=queue_paused == 1,
            ring_position=None if ring_position < 0 else ring_position,
            holders=texts(holders),
        )
    if op.job_id is None:
        assert lane is not None
        return explain_lane(lane)
    return explain_job(
        op.job_id,
        record_of(row) if row else None,
        now_ms=now_ms,
        stands_at=int(float(score)) if score else None,
        lane=lane,
        lane_position=None if lane_position < 0 else lane_position,
    )


def next_due(op: ops.NextDue) -> Steps[int | None]:
    waits: list[int] = yield script(op, list)
    return waits[0] if waits else None


def _counts(flat: Any) -> dict[str, int]:
    pairs = ((as_text(name), setting_of(value)) for name, value in pairs_of(flat))
    return {name: value for name, value in pairs if value is not None}


def _stored_counts(flat: Any) -> dict[str, int]:
    """A book as stored, zeros and negatives too: a snapshot must not hide a breach of KEYS-6."""
    return {
        as_text(name): int(value)
        for name, value in pairs_of(flat)
        if value.removeprefix(b"-").isdigit()
    }


def _scores(flat: Any) -> dict[str, int]:
    return {as_text(name): int(float(score)) for name, score in pairs_of(flat)}


def snapshot(op: ops.Snapshot) -> Steps[QueueSnapshot]:
    call: ScriptCall[Any] = script(op, tuple, op.max_jobs)
    kind, *parts = yield call
    if kind == b"too_large":
        raise QueueTooLarge(parts[0], op.max_jobs)
    (
        now_ms,
        paused,
        on_ring,
        lane_ids,
        active,
        schedule,
        dead,
        rows,
        in_flight,
        limits,
        weights,
        paused_groups,
        completed,
        failed,
        wakes,
    ) = parts
    records = [record_of(fields) for fields in rows]
    return QueueSnapshot(
        now_ms=now_ms,
        paused=paused == 1,
        ring=texts(on_ring),
        lanes={as_text(name): texts(ids) for name, ids in lane_ids},
        active=_scores(active),
        schedule=_scores(schedule),
        dead=texts(dead),
        jobs={record.id: record for record in records},
        in_flight=_stored_counts(in_flight),
        limits=_counts(limits),
        weights=_counts(weights),
        paused_groups=frozenset(texts(paused_groups)),
        completed=int(completed),
        failed=int(failed),
        wakes=wakes,
    )
