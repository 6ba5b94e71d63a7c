"""Every verb as a case: a queue in which it has something to do, and a call of it."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import redis

from echomq_core import FullBackend, JobState, Keyspace, NewJob, encode_id

__all__ = ["CASES", "IDS", "LEASE_MS", "Kind", "VerbCase", "coarse"]

IDS = tuple(encode_id("JOB", number) for number in range(1, 10))
LEASE_MS = 10_000_000
"""Much longer than a test, so that times are equal once they are rounded (`coarse`)."""


class Kind(enum.Enum):
    READ = "repeated once by the driver"
    WRITE = "never repeated: its outcome is unknown"
    MINTED = "an enqueue of our own id: sent once more"


Prepare = Callable[[FullBackend, redis.Redis, str], object]
Verb = Callable[[FullBackend, str], Any]


@dataclass(frozen=True)
class VerbCase:
    verb: str
    prepare: Prepare
    call: Verb
    kind: Kind = Kind.WRITE


def coarse(value: object, queue: str) -> str:
    """A value as text, times rounded to 1,000 s and minted ids masked."""
    text = repr(value).replace(queue, "QUEUE")
    text = re.sub(
        r"JOB[0-9A-Za-z]{11}", lambda m: m[0] if m[0] in IDS else "JOB-of-this-process", text
    )
    return re.sub(r"\b\d{5,}\b", lambda m: str(round(int(m[0]) / 1_000_000)), text)


def _nothing(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    pass


def _pending(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    for job_id in IDS[:3]:
        backend.enqueue(queue, "g", b"payload", job_id=job_id)
    backend.enqueue(queue, "h", b"other", job_id=IDS[3])


def _settings(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    _pending(backend, raw, queue)
    backend.limit(queue, "g", 5)
    backend.weight(queue, "g", 2)
    backend.pause(queue, "h")
    backend.pause_queue(queue)


def _claimed(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    """The first job of g and that of h are in flight, each with token 1."""
    _pending(backend, raw, queue)
    backend.claim_many(queue, LEASE_MS, 2)


def _expired(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    _claimed(backend, raw, queue)
    raw.zadd(Keyspace(queue).active, {IDS[0]: 1, IDS[3]: 2})


def _due(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    backend.enqueue(queue, "g", b"later", job_id=IDS[0], delay_ms=LEASE_MS)
    raw.zadd(Keyspace(queue).schedule, {IDS[0]: 1})


def _dead(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    _claimed(backend, raw, queue)
    backend.retry(queue, IDS[0], 1, delay_ms=0, max_attempts=1, error="no")


def _token_taken(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    _pending(backend, raw, queue)
    raw.delete(Keyspace(queue).wake)


def _ghost(backend: FullBackend, raw: redis.Redis, queue: str) -> None:
    _claimed(backend, raw, queue)
    raw.delete(Keyspace(queue).job(IDS[0]))


_ITEMS = [NewJob("g", b"1", job_id=IDS[5]), NewJob("k", b"2", job_id=IDS[6])]
_PAIRS = [(IDS[0], 1), (IDS[3], 1)]

CASES: tuple[VerbCase, ...] = (
    VerbCase("enqueue", _nothing, lambda b, q: b.enqueue(q, "g", b"1"), Kind.MINTED),
    VerbCase("enqueue", _nothing, lambda b, q: b.enqueue(q, "g", b"1", job_id=IDS[5])),
    VerbCase("enqueue_many", _pending, lambda b, q: b.enqueue_many(q, _ITEMS)),
    VerbCase("claim", _pending, lambda b, q: b.claim(q, LEASE_MS)),
    VerbCase("claim_many", _pending, lambda b, q: b.claim_many(q, LEASE_MS, 3)),
    VerbCase("wclaim", _pending, lambda b, q: b.wclaim(q, LEASE_MS)),
    VerbCase("bclaim", _pending, lambda b, q: b.bclaim(q, LEASE_MS, 2)),
    VerbCase("complete", _claimed, lambda b, q: b.complete(q, IDS[0], 1)),
    VerbCase("complete_many", _claimed, lambda b, q: b.complete_many(q, _PAIRS)),
    VerbCase(
        "retry",
        _claimed,
        lambda b, q: b.retry(q, IDS[0], 1, delay_ms=LEASE_MS, max_attempts=3, error="no"),
    ),
    VerbCase("release", _claimed, lambda b, q: b.release(q, IDS[0], 1)),
    VerbCase("extend", _claimed, lambda b, q: b.extend(q, IDS[0], 1, 5 * LEASE_MS)),
    VerbCase("extend_many", _claimed, lambda b, q: b.extend_many(q, _PAIRS, 5 * LEASE_MS)),
    VerbCase("promote", _due, lambda b, q: b.promote(q, 10)),
    VerbCase("reap", _expired, lambda b, q: b.reap(q, 10)),
    VerbCase("reap_group", _expired, lambda b, q: b.reap_group(q, "g", 10)),
    VerbCase("pause", _pending, lambda b, q: b.pause(q, "g")),
    VerbCase("resume", _settings, lambda b, q: b.resume(q, "h")),
    VerbCase("limit", _pending, lambda b, q: b.limit(q, "g", 1)),
    VerbCase("unlimit", _settings, lambda b, q: b.unlimit(q, "g")),
    VerbCase("weight", _pending, lambda b, q: b.weight(q, "g", 3)),
    VerbCase("unweight", _settings, lambda b, q: b.unweight(q, "g")),
    VerbCase("pause_queue", _pending, lambda b, q: b.pause_queue(q)),
    VerbCase("resume_queue", _settings, lambda b, q: b.resume_queue(q)),
    VerbCase("reassign", _pending, lambda b, q: b.reassign(q, IDS[1], "k")),
    VerbCase("drain", _pending, lambda b, q: b.drain(q, "g")),
    VerbCase("remove", _pending, lambda b, q: b.remove(q, IDS[1])),
    VerbCase("reprocess", _dead, lambda b, q: b.reprocess(q, IDS[0])),
    VerbCase("park", _pending, lambda b, q: b.park(q, 5_000)),
    VerbCase("park", _pending, lambda b, q: b.park(q, 0)),
    VerbCase("wake", _token_taken, lambda b, q: b.wake(q)),
    VerbCase("next_due", _claimed, lambda b, q: b.next_due(q), Kind.READ),
    VerbCase("job", _dead, lambda b, q: b.job(q, IDS[0]), Kind.READ),
    VerbCase("depth", _pending, lambda b, q: b.depth(q, "g"), Kind.READ),
    VerbCase("depths", _pending, lambda b, q: b.depths(q, ["g", "h", "x"]), Kind.READ),
    VerbCase("stats", _settings, lambda b, q: b.stats(q), Kind.READ),
    VerbCase("lanes", _claimed, lambda b, q: b.lanes(q, limit=1), Kind.READ),
    VerbCase("ring", _pending, lambda b, q: b.ring(q), Kind.READ),
    VerbCase("dead_jobs", _dead, lambda b, q: b.dead_jobs(q), Kind.READ),
    VerbCase("browse", _claimed, lambda b, q: b.browse(q, JobState.ACTIVE), Kind.READ),
    VerbCase("configuration", _settings, lambda b, q: b.configuration(q), Kind.READ),
    VerbCase("explain", _claimed, lambda b, q: b.explain(q, job_id=IDS[0]), Kind.READ),
    VerbCase("explain", _settings, lambda b, q: b.explain(q, group="g"), Kind.READ),
    VerbCase("check", _nothing, lambda b, q: b.check(), Kind.READ),
    VerbCase("snapshot", _settings, lambda b, q: b.snapshot(q), Kind.READ),
    VerbCase("fsck", _ghost, lambda b, q: b.fsck(q), Kind.READ),
)
