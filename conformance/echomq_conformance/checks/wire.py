"""Checks of the raw keys, through the target's back door: the wire that other languages share."""

from __future__ import annotations

import re
from typing import Any, cast

from echomq_core import Keyspace, WireVersionMismatch, WrongKeyType, slot_of
from echomq_core.keyspace import VERSION_KEY

from .registry import Bench, clause, equal

WIRE = ("wire",)
LEASE_MS = 60_000


def _keys(bench: Bench) -> dict[str, str]:
    """Every key that mentions the queue, without its base, and its type."""
    names = cast("list[bytes]", bench.probe("KEYS", f"*{bench.queue}*"))
    base = Keyspace(bench.queue).base
    found = {}
    for raw in names:
        name = raw.decode()
        kind = bench.probe("TYPE", name)
        found[name.removeprefix(base)] = kind.decode() if isinstance(kind, bytes) else str(kind)
    return found


def _hash(bench: Bench, key: str) -> dict[bytes, bytes]:
    answer = cast("Any", bench.probe("HGETALL", key))
    if isinstance(answer, dict):
        return answer
    return dict(zip(answer[::2], answer[1::2], strict=True))


@clause("WIRE-1", "KEYS-1", profiles=WIRE)
def wire_1_admission_writes_row_lane_ring_and_token(bench: Bench) -> None:
    """Four fields and nothing else in the row; every score 0; names and types as written."""
    keys = Keyspace(bench.queue)
    (job_id,) = bench.admit("a:b{c}")
    expected = {"ring": "list", "wake": "list", "g:a:b{c}:pending": "zset", f"job:{job_id}": "hash"}
    equal("WIRE-1", "keys after an admission", expected, _keys(bench))
    row = {b"state": b"pending", b"attempts": b"0", b"payload": b"", b"group": b"a:b{c}"}
    equal("WIRE-1", "row", row, _hash(bench, keys.job(job_id)))
    equal("WIRE-1", "ring", [b"a:b{c}"], bench.probe("LRANGE", keys.ring, 0, -1))
    equal("WIRE-1", "wake", [b"1"], bench.probe("LRANGE", keys.wake, 0, -1))
    score = bench.probe("ZSCORE", keys.lane("a:b{c}"), job_id)
    equal("WIRE-1", "score in the lane", 0.0, float(cast("Any", score)))


@clause("WIRE-1", "TOKEN-1", "BOOK-1", profiles=WIRE)
def wire_1_a_claim_writes_active_state_and_book(bench: Bench) -> None:
    """The score in `active` is the deadline in server ms, as the answer says."""
    keys = Keyspace(bench.queue)
    (job_id,) = bench.admit("g")
    job = bench.backend.claim(bench.queue, LEASE_MS)
    deadline = getattr(job, "deadline_ms", None)
    score = int(float(cast("Any", bench.probe("ZSCORE", keys.active, job_id))))
    equal("WIRE-1", "score in active", deadline, score)
    equal("WIRE-1", "book", {b"g": b"1"}, _hash(bench, keys.in_flight))
    row = _hash(bench, keys.job(job_id))
    equal("WIRE-1", "row", (b"active", b"1"), (row[b"state"], row[b"attempts"]))


@clause("WIRE-1", "FIELD-1", profiles=("wire", "control"))
def wire_1_settings_totals_and_marks(bench: Bench) -> None:
    """Where limits, weights, pauses, totals and the later fields of a row are."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    b.limit(q, "g", 3)
    b.weight(q, "g", 2)
    b.pause(q, "p")
    (done, dead, lapsed) = bench.admit("g", 3)
    for job_id in (done, dead, lapsed):
        equal("WIRE-1", "claimed", job_id, getattr(b.claim(q, LEASE_MS), "id", None))
    b.complete(q, done, 1)
    b.retry(q, dead, 1, delay_ms=0, max_attempts=1, error="why")
    bench.advance(2 * LEASE_MS)
    b.reap(q, 10)
    b.pause_queue(q)
    equal("WIRE-1", "limits", {b"g": b"3"}, _hash(bench, keys.limits))
    equal("WIRE-1", "weights", {b"g": b"2"}, _hash(bench, keys.weights))
    paused = bench.probe("SMEMBERS", keys.paused)
    equal("WIRE-1", "paused", {b"p"}, set(cast("Any", paused)))
    equal("WIRE-1", "meta", {b"paused": b"1"}, _hash(bench, keys.meta))
    equal("WIRE-1", "completed", {b"count": b"1"}, _hash(bench, keys.completed))
    equal("WIRE-1", "failed", {b"count": b"1"}, _hash(bench, keys.failed))
    equal("FIELD-1", "last_error", b"why", _hash(bench, keys.job(dead)).get(b"last_error"))
    equal("FIELD-1", "lapsed", b"1", _hash(bench, keys.job(lapsed)).get(b"lapsed"))


@clause("KEYS-1", "KEYS-2", profiles=WIRE)
def keys_1_every_key_is_on_the_queues_slot(bench: Bench) -> None:
    """Groups full of braces do not move a key; the base key is never made."""
    for group in ("{x}", "}{", "a}b", "{}", "{{q}}"):
        bench.admit(group, 2)
        bench.backend.claim(bench.queue, LEASE_MS)
    keyspace = Keyspace(bench.queue)
    for raw in cast("list[bytes]", bench.probe("KEYS", f"*{bench.queue}*")):
        name = raw.decode()
        assert slot_of(name) == keyspace.slot(), f"KEYS-1: {name} is elsewhere"
    equal("KEYS-2", "base key exists", 0, bench.probe("EXISTS", keyspace.base))


@clause("KEYS-6", "CONN-6", profiles=("wire",))
def keys_6_only_totals_and_tokens_are_left(bench: Bench) -> None:
    """No key of a queue expires while it works, and none of the work is left when it is done."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    bench.admit("g", 2)
    b.enqueue(q, "h", b"", delay_ms=1_000)
    b.claim(q, LEASE_MS)
    for name in _keys(bench):
        equal("CONN-6", f"time to live of {name}", -1, bench.probe("TTL", keys.base + name))
    bench.advance(2 * LEASE_MS)
    b.promote(q, 10)
    b.reap(q, 10)
    while job := b.claim(q, LEASE_MS):
        b.complete(q, job.id, job.token)
    left = set(_keys(bench)) - {"metrics:completed", "wake"}
    equal("KEYS-6", "keys left", set(), left)


@clause("WIRE-2", profiles=("wire", "control"))
def wire_2_a_job_without_a_group_is_kept_and_not_served(bench: Bench) -> None:
    """A foreign worker's flat job is no lane's; what would send it to a lane puts it back."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    row = ("state", "dead", "attempts", 1, "payload", "p")
    bench.probe("HSET", keys.job("foreign"), *row)
    bench.probe("ZADD", keys.dead, 0, "foreign")
    equal("WIRE-2", "reprocess", "reprocessed", b.reprocess(q, "foreign"))
    equal("WIRE-2", "flat set", [b"foreign"], bench.probe("ZRANGE", keys.flat, 0, -1))
    answer = b.claim(q, LEASE_MS)
    assert not answer, f"WIRE-2: {answer!r} was served"
    equal("WIRE-2", "pending counted", 0, b.stats(q).pending)
    equal("WIRE-2", "breaches", [], b.fsck(q))


@clause("SETTING-1", profiles=("wire", "control"))
def setting_1_no_positive_integer_counts_as_absent(bench: Bench) -> None:
    """Limits that somebody else wrote as nonsense hold nothing back, and fsck reports them."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    for text in ("0", "-1", "x", "1.5", ""):
        bench.probe("HSET", keys.limits, "g", text)
        (job_id,) = bench.admit("g")
        job = b.claim(q, LEASE_MS)
        equal("SETTING-1", f"claim at limit {text!r}", job_id, getattr(job, "id", job))
    equal("SETTING-1", "limits seen", {}, dict(bench.see().limits))
    clauses = [breach.clause for breach in b.fsck(q, repair=True)]
    equal("SETTING-1", "breaches", ["SETTING-1"], clauses)
    equal("SETTING-1", "after the repair", [], b.fsck(q))


@clause("ERR-wrong-type", "KEYS-2b", profiles=WIRE)
def err_wrong_type_names_the_key_and_writes_nothing(bench: Bench) -> None:
    """An operator's text where a place should be: a typed refusal, and nothing half-done."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    (job_id,) = bench.admit("g")
    bench.probe("SET", keys.active, "text")
    before = _hash(bench, keys.job(job_id))
    try:
        answer = b.claim(q, LEASE_MS)
    except WrongKeyType as error:
        equal("ERR-wrong-type", "key", keys.active, error.key)
    else:
        raise AssertionError(f"ERR-wrong-type: expected WrongKeyType, got {answer!r}")
    equal("KEYS-2b", "row", before, _hash(bench, keys.job(job_id)))
    equal("KEYS-2b", "ring", [b"g"], bench.probe("LRANGE", keys.ring, 0, -1))
    bench.probe("DEL", keys.active)
    equal(
        "ERR-wrong-type", "claim once it is gone", job_id, getattr(b.claim(q, LEASE_MS), "id", None)
    )


@clause("RING-5", profiles=WIRE)
def ring_5_no_producer_or_consumer_verb_scans_the_ring(bench: Bench) -> None:
    """Server commands per call are the same with 5 lanes and with 300, and none reads the ring."""
    counts = []
    for lanes in (5, 300):
        bench.queue = bench.harness.fresh_queue(f"ring{lanes}")
        for number in range(lanes):
            bench.backend.enqueue(bench.queue, f"lane{number}", b"")
        bench.probe("CONFIG", "RESETSTAT")
        job = bench.backend.claim(bench.queue, LEASE_MS)
        assert job, "RING-5: nothing was served"
        bench.backend.enqueue(bench.queue, "one more", b"")
        bench.backend.complete(bench.queue, job.id, job.token)
        counts.append(_commands(bench))
    equal("RING-5", "commands at 300 lanes as at 5", counts[0], counts[1])
    scans = sorted({"lpos", "lrem", "keys", "scan"} & set(counts[1]))
    equal("RING-5", "commands that scan", [], scans)


def _commands(bench: Bench) -> dict[str, int]:
    info = cast("Any", bench.probe("INFO", "commandstats"))
    if isinstance(info, dict):
        calls = {name.removeprefix("cmdstat_"): stats["calls"] for name, stats in info.items()}
    else:
        text = info.decode() if isinstance(info, bytes) else str(info)
        calls = {n: int(c) for n, c in re.findall(r"cmdstat_([^:]+):calls=(\d+)", text)}
    ours = (
        "info",
        "config|resetstat",
        "evalsha",
        "script|load",
        "ping",
        "client|setinfo",
        "select",
    )
    return {name: count for name, count in calls.items() if name not in ours}


@clause("KEYS-4b", profiles=WIRE)
def keys_4b_the_fence_is_read_and_not_written(bench: Bench) -> None:
    """Texts of the layouts that we know pass, another refuses, absence passes and stays absent."""
    before = bench.probe("GET", VERSION_KEY)
    try:
        for text, accepted in (
            (None, True),
            ("echomq:2.4.1", True),
            ("echomq:3.0.0", True),
            ("echomq:4.0.0", False),
            ("bullmq:5", False),
        ):
            bench.probe("DEL", VERSION_KEY)
            if text is not None:
                bench.probe("SET", VERSION_KEY, text)
            equal("KEYS-4b", f"accepts {text!r}", accepted, _accepts(bench))
            found = bench.probe("GET", VERSION_KEY)
            equal("KEYS-4b", "the fence afterwards", text and text.encode(), found)
    finally:
        bench.probe("DEL", VERSION_KEY)
        if before is not None:
            bench.probe("SET", VERSION_KEY, before)


def _accepts(bench: Bench) -> bool:
    """Whether a backend that is opened now serves its first verb."""
    with bench.harness.another() as backend:
        try:
            backend.depth(bench.queue, "g")
        except WireVersionMismatch:
            return False
        return True
