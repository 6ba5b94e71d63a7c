"""RING-5: producer and consumer verbs never go through lanes, ring, books or rows."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest
from echomq_memory import QueueModel

from echomq_core import Job, encode_id, ops

QUEUE = "q"
LANES = 50


class _Scanned(AssertionError):
    pass


class _NoScan(dict[str, Any]):
    def __iter__(self) -> Iterator[str]:
        raise _Scanned

    keys = values = items = __iter__  # type: ignore[assignment]


class _NoScanRing(OrderedDict[str, None]):
    def __iter__(self) -> Iterator[str]:
        raise _Scanned

    __reversed__ = __iter__
    keys = values = items = __iter__  # type: ignore[assignment]


def _crowded() -> QueueModel:
    """Many lanes, each with three jobs and a limit; whoever goes through them raises."""
    model = QueueModel(QUEUE)
    for lane in range(LANES):
        model.apply(ops.Limit(QUEUE, f"g{lane}", 2), 0)
        for job in range(3):
            job_id = encode_id("JOB", lane * 10 + job)
            model.apply(ops.Enqueue(QUEUE, f"g{lane}", b"", job_id), 0)
    state = model.state
    for name in ("lanes", "in_flight", "limits", "weights", "rows"):
        setattr(state, name, _NoScan(getattr(state, name)))
    state.ring = _NoScanRing.fromkeys(state.ring)
    return model


def test_ring_5_no_producer_or_consumer_verb_scans() -> None:
    model = _crowded()
    now_ms = 0
    for _ in range(3 * LANES):
        job = model.apply(ops.Claim(QUEUE, 10), now_ms)
        assert isinstance(job, Job)
        model.apply(ops.Extend(QUEUE, job.id, job.token, 10), now_ms)
        match int(job.id[-1], 36) % 3:
            case 0:
                model.apply(ops.Complete(QUEUE, job.id, job.token), now_ms)
            case 1:
                model.apply(ops.Release(QUEUE, job.id, job.token), now_ms)
            case _:
                model.apply(ops.Retry(QUEUE, job.id, job.token, 5, 99, ""), now_ms)
        now_ms += 5
        model.apply(ops.Promote(QUEUE, 10), now_ms)
    served = model.apply(ops.ClaimMany(QUEUE, 10, 100), now_ms)
    assert len(served) > LANES
    model.apply(ops.WClaim(QUEUE, 10), now_ms)
    model.apply(ops.BClaim(QUEUE, 10, 2), now_ms)
    model.apply(ops.Enqueue(QUEUE, "new", b"", encode_id("JOB", 10**6)), now_ms)
    model.apply(ops.Enqueue(QUEUE, "new", b"", encode_id("JOB", 10**6 + 1), 5), now_ms)
    assert model.apply(ops.Reap(QUEUE, 1_000), now_ms + 10).returned >= len(served)
    model.apply(ops.NextDue(QUEUE), now_ms)
    model.apply(ops.Wake(QUEUE), now_ms)
    model.apply(ops.Park(QUEUE, 0), now_ms)


def test_ring_5_the_watch_notices_a_scan() -> None:
    model = _crowded()
    with pytest.raises(_Scanned):
        model.apply(ops.ReadStats(QUEUE), 0)
    with pytest.raises(_Scanned):
        model.apply(ops.Explain(QUEUE, group="g1"), 0)
