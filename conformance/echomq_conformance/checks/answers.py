"""Checks of what an answer is: exact types, emptiness, the tree of errors, a closed backend."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass

from echomq_core import (
    CompleteVerdict,
    EchoMQError,
    Empty,
    EmptyReason,
    Enqueued,
    ExtendVerdict,
    Job,
    JobRecord,
    NotApplied,
    QueueSnapshot,
    QueueTooLarge,
    Refused,
    ReleaseVerdict,
    RetryVerdict,
    ServerInfo,
    Swept,
)

from .registry import Bench, clause, equal

LEASE_MS = 60_000


@clause("ANSWER-values")
def answer_values_are_the_specs_own_types(bench: Bench) -> None:
    """Every core verb answers the value type of the spec, not something like it."""
    backend, queue = bench.backend, bench.queue
    admitted = backend.enqueue(queue, "g", b"payload")
    job = backend.claim(queue, LEASE_MS)
    assert isinstance(job, Job), f"ANSWER-values: claim answered {job!r}"
    found = (
        (Enqueued, admitted),
        (Job, job),
        (ExtendVerdict, backend.extend(queue, job.id, job.token, LEASE_MS)),
        (ReleaseVerdict, backend.release(queue, job.id, job.token)),
        (RetryVerdict, backend.retry(queue, job.id, 9, delay_ms=0, max_attempts=1, error="")),
        (CompleteVerdict, backend.complete(queue, job.id, 9)),
        (Swept, backend.promote(queue, 1)),
        (Swept, backend.reap(queue, 1)),
        (JobRecord, backend.job(queue, job.id)),
        (int, backend.depth(queue, "g")),
        (QueueSnapshot, backend.snapshot(queue)),
        (ServerInfo, backend.check()),
    )
    for kind, answer in found:
        assert type(answer) is kind, f"ANSWER-values: expected {kind.__name__}, got {answer!r}"
    for value in (job.token, job.attempt, job.deadline_ms):
        assert type(value) is int, f"ANSWER-values: {value!r} is no int"
    equal("ANSWER-values", "payload", b"payload", job.payload)
    assert is_dataclass(job)
    again = backend.claim(queue, LEASE_MS)
    equal(
        "ANSWER-values",
        "second claim",
        (job.id, 2),
        (getattr(again, "id", again), again.token if again else None),
    )


@clause("ANSWER-empty")
def answer_empty_is_a_value_that_says_why(bench: Bench) -> None:
    """Falsy, of length 0, iterates as nothing, and names its reason."""
    answer = bench.backend.claim(bench.queue, LEASE_MS)
    assert isinstance(answer, Empty), f"ANSWER-empty: expected Empty, got {answer!r}"
    shape = (bool(answer), len(answer), list(answer), answer.reason)
    equal("ANSWER-empty", "shape", (False, 0, [], EmptyReason.RING_EMPTY), shape)


@clause("VERB-check")
def verb_check_tells_what_the_store_is(bench: Bench) -> None:
    """Every field is filled; warnings are sentences."""
    info = bench.backend.check()
    for name in ("product", "version", "topology", "eviction", "persistence"):
        value = getattr(info, name)
        filled = isinstance(value, str) and bool(value)
        assert filled, f"VERB-check: {name} is {value!r}"
    equal("VERB-check", "scripts", True, info.scripts)
    for warning in info.warnings:
        assert warning.strip(), f"VERB-check: warning {warning!r}"


@clause("VERB-snapshot")
def verb_snapshot_refuses_a_queue_that_is_too_large(bench: Bench) -> None:
    """More entries than `max_jobs`: a typed error that points to the paged reads."""
    bench.admit("g", 3)
    bench.backend.snapshot(bench.queue, max_jobs=3)
    try:
        answer = bench.backend.snapshot(bench.queue, max_jobs=2)
    except QueueTooLarge as error:
        equal("VERB-snapshot", "numbers", (3, 2), (error.entries, error.max_jobs))
        assert isinstance(error, Refused), "VERB-snapshot: QueueTooLarge is a Refused"
        return
    raise AssertionError(f"VERB-snapshot: expected QueueTooLarge, got {answer!r}")


@clause("VERB-snapshot")
def verb_snapshot_counts_the_entries_of_every_place(bench: Bench) -> None:
    """Three jobs pending, active, scheduled and dead each are twelve entries."""
    backend, queue = bench.backend, bench.queue
    for number, job_id in enumerate(bench.admit("g", 12)):
        if number < 9:
            backend.claim(queue, LEASE_MS)
        if 3 <= number < 9:
            most = 9 if number < 6 else 1
            backend.retry(queue, job_id, 1, delay_ms=LEASE_MS, max_attempts=most, error="")
    seen = backend.snapshot(queue, max_jobs=12)
    sizes = (len(seen.lanes["g"]), len(seen.active), len(seen.schedule), len(seen.dead))
    equal("VERB-snapshot", "entries shown", (3, 3, 3, 3), sizes)
    try:
        answer = backend.snapshot(queue, max_jobs=11)
    except QueueTooLarge as error:
        equal("VERB-snapshot", "numbers", (12, 11), (error.entries, error.max_jobs))
        return
    raise AssertionError(f"VERB-snapshot: expected QueueTooLarge, got {answer!r}")


@clause("VERB-snapshot", "GHOST-1")
def verb_snapshot_shows_ghosts_as_entries_without_rows(bench: Bench) -> None:
    """A lost row leaves its id in the place and not among the jobs; an empty queue shows nothing."""
    empty = bench.see()
    equal(
        "VERB-snapshot",
        "an unused queue",
        ((), {}, {}, 0),
        (empty.ring, dict(empty.lanes), dict(empty.jobs), empty.wakes),
    )
    (job_id,) = bench.admit("g")
    bench.lose_row(job_id)
    seen = bench.see()
    equal("VERB-snapshot", "lanes", {"g": (job_id,)}, dict(seen.lanes))
    equal("VERB-snapshot", "jobs", {}, dict(seen.jobs))


@clause("VERB-job")
def verb_job_and_depth_of_nothing(bench: Bench) -> None:
    """An id or group that nobody used: none and 0, and nothing is made by asking."""
    backend, queue = bench.backend, bench.queue
    equal("VERB-job", "job", None, backend.job(queue, "no such id"))
    equal("VERB-job", "depth", 0, backend.depth(queue, "nobody"))
    equal("VERB-job", "jobs", {}, dict(bench.see().jobs))


@clause("ERR-closed", "ERR-tree", last=True)
def err_closed_backend_answers_not_applied(bench: Bench) -> None:
    """After close every verb raises `NotApplied`; closing again does nothing."""
    backend, queue = bench.backend, bench.queue
    backend.enqueue(queue, "g", b"")
    backend.close()
    backend.close()
    calls: tuple[tuple[str, Callable[[], object]], ...] = (
        ("enqueue", lambda: backend.enqueue(queue, "g", b"")),
        ("claim", lambda: backend.claim(queue, LEASE_MS)),
        ("snapshot", lambda: backend.snapshot(queue)),
    )
    for verb, call in calls:
        try:
            answer = call()
        except NotApplied as error:
            equal("ERR-closed", "verb named", verb, error.verb)
            assert isinstance(error, EchoMQError), "ERR-tree: NotApplied is an EchoMQError"
        else:
            raise AssertionError(f"ERR-closed: {verb} expected NotApplied, got {answer!r}")
