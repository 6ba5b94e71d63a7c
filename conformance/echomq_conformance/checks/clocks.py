"""Checks that no clock but the store's decides anything."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from unittest.mock import patch

from echomq_core import mint_job_id

from .registry import Bench, clause, equal

LEASE_MS = 60_000
DELAY_MS = 30_000
HOUR_MS = 3_600_000
NEAR_MS = 5_000


@contextmanager
def _skewed(ms: int) -> Iterator[None]:
    """The clock of this process goes wrong by `ms`; the store's does not."""
    right = time.time_ns
    with (
        patch.object(time, "time_ns", lambda: right() + ms * 1_000_000),
        patch.object(time, "time", lambda: (right() + ms * 1_000_000) / 1e9),
    ):
        yield


@clause("CLOCK-1", profiles=("wire",))
def clock_1_a_clients_clock_changes_nothing(bench: Bench) -> None:
    """An hour fast or slow: leases, delays, sweeps and retries come out the same.

    Of `wire`, since a store inside one machine may have no clock but that machine's.
    """
    for skew_ms in (HOUR_MS, -HOUR_MS):
        bench.queue = bench.harness.fresh_queue("skewed")
        b, q = bench.backend, bench.queue
        first, delayed = mint_job_id(), mint_job_id()
        with _skewed(skew_ms):
            b.enqueue(q, "g", b"", job_id=first)
            b.enqueue(q, "g", b"", job_id=delayed, delay_ms=DELAY_MS)
            job = b.claim(q, LEASE_MS)
            b.extend(q, first, 1, LEASE_MS)
            swept = (b.promote(q, 10).total, b.reap(q, 10).total)
        seen = bench.see()
        equal("CLOCK-1", f"claim at {skew_ms} ms", first, getattr(job, "id", job))
        equal("CLOCK-1", f"what is due or expired at {skew_ms} ms", (0, 0), swept)
        _near("lease", LEASE_MS, seen.active.get(first), seen.now_ms)
        _near("delay", DELAY_MS, seen.schedule.get(delayed), seen.now_ms)
        with _skewed(skew_ms):
            b.retry(q, first, 1, delay_ms=DELAY_MS, max_attempts=9, error="")
        seen = bench.see()
        _near("retry", DELAY_MS, seen.schedule.get(first), seen.now_ms)


@clause("CLOCK-1", "WIRE-1", profiles=("wire",))
def clock_1_instants_are_unix_ms_of_the_server(bench: Bench) -> None:
    """What a snapshot calls now is the server's own TIME, in milliseconds."""
    seconds, micros = (int(part) for part in cast("list[Any]", bench.probe("TIME")))
    now_ms = bench.see().now_ms
    close = abs(now_ms - (seconds * 1_000 + micros // 1_000)) <= NEAR_MS
    assert close, f"CLOCK-1: the server's TIME is {seconds} s, the snapshot says {now_ms} ms"


def _near(what: str, span_ms: int, at_ms: int | None, now_ms: int) -> None:
    close = at_ms is not None and abs(at_ms - now_ms - span_ms) <= NEAR_MS
    found = None if at_ms is None else at_ms - now_ms
    assert close, f"CLOCK-1: {what}: expected in about {span_ms} ms, got {found}"
