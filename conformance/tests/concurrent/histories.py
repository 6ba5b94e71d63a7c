"""Histories written by hand: what each client called, when, and what it was told."""

from __future__ import annotations

from typing import Any

from echomq_conformance.history import History, Recorded

from echomq_core import Empty, EmptyReason, Enqueued, Job, encode_id, ops

Q = "a"
LEASE = 10**9
A, B, C, D = (encode_id("JOB", number) for number in range(1, 5))
RING_EMPTY = Empty(EmptyReason.RING_EMPTY)
QUEUE_PAUSED = Empty(EmptyReason.QUEUE_PAUSED)
CLAIM = ops.Claim(Q, LEASE)


def history(*rows: tuple[int, int, int | None, ops.QueueOp[Any], Any]) -> History:
    """Rows of client, call, return (`None`: no reply), operation, answer."""
    return History.of(
        Recorded(client, op, called, returned, answer)
        for client, called, returned, op, answer in rows
    )


def enqueue(job_id: str, group: str = "g") -> ops.Enqueue:
    return ops.Enqueue(Q, group, b"", job_id)


def admitted(job_id: str) -> Enqueued:
    return Enqueued(job_id, duplicate=False)


def job(job_id: str, group: str = "g", token: int = 1) -> Job:
    return Job(job_id, group, b"", token, token, 123)
