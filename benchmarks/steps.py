"""How long the longest scripts hold the server: one step of the verbs in steps, and CONN-5's exceptions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import redis

from echomq_core import Keyspace

from .measuring import LEASE_MS, QUEUE, Bench

__all__ = ["print_steps"]

JOBS = 10_000
KEYS = Keyspace(QUEUE)


def _longest_ms(raw: redis.Redis, call: Callable[[], object]) -> float:
    """The longest single script of a verb, from the server's slow log."""
    raw.config_set("slowlog-log-slower-than", 0)
    raw.config_set("slowlog-max-len", 10_000)
    raw.slowlog_reset()
    call()
    entries: Any = raw.slowlog_get(10_000)
    raw.config_set("slowlog-log-slower-than", -1)
    scripts = [entry["duration"] for entry in entries if entry["command"].startswith(b"EVALSHA")]
    return float(max(scripts)) / 1_000


def _lose_one(bench: Bench) -> None:
    """The row of a job in flight is gone, and its lease is over."""
    job = bench.hold(1)[0]
    bench.held.remove(job)
    bench.raw.delete(KEYS.job(job.id))
    bench.raw.zadd(KEYS.active, {job.id: 1})


def print_steps(bench: Bench) -> None:
    """`bench` is on an empty server with 100 lanes."""
    backend, raw = bench.backend, bench.raw

    def show(what: str, call: Callable[[], object]) -> None:
        print(f"| {what} | {_longest_ms(raw, call):.1f} |")

    print("\n| longest script | ms |\n|---|---:|")
    bench.put(bench.groups(JOBS))
    show(f"snapshot of {JOBS:,} jobs", lambda: backend.snapshot(QUEUE))
    show(f"fsck, a step, {JOBS:,} jobs pending", lambda: backend.fsck(QUEUE))
    bench.put(["one"] * JOBS)
    show("drain, a step", lambda: backend.drain(QUEUE, "one"))
    bench.put(["one"] * 1_000)
    show("bclaim of 1,000, from a lane of 100", lambda: backend.bclaim(QUEUE, LEASE_MS, 1_000))
    show("claim_many of 1,000", lambda: backend.claim_many(QUEUE, LEASE_MS, 1_000))
    bench.hold(JOBS - 2_000)
    in_flight = raw.zcard(KEYS.active)
    backend.limit(QUEUE, "g1", 1)
    show(
        f"explain a full lane, {in_flight:,} in flight", lambda: backend.explain(QUEUE, group="g1")
    )
    _lose_one(bench)
    show(f"recount, {in_flight:,} in flight", lambda: backend.reap(QUEUE, 1))
    bench.age("active")
    show("reap of 1,000", lambda: backend.reap(QUEUE, 1_000))
    show("reap_group, a step", lambda: backend.reap_group(QUEUE, "nobody", 1_000))
