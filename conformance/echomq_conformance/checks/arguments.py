"""Checks that every wrong argument is refused, by name, before anything happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from echomq_core import NewJob

from .registry import Bench, clause, equal, refused

ID = "JOB00000000001"
OK_MS = 60_000
NO_NUMBERS: tuple[Any, ...] = (True, 1.0, float("nan"), "1", None, -1)


def _untouched(clause_id: str, bench: Bench) -> None:
    seen = bench.see()
    made = (seen.ring, dict(seen.lanes), dict(seen.jobs), dict(seen.limits), seen.wakes)
    equal(clause_id, "the queue after refusals", ((), {}, {}, {}, 0), made)


@clause("KEYS-3", "ARG-refused")
def keys_3_queue_names_outside_the_rule(bench: Bench) -> None:
    """Queue names: 1 to 128 of A-Z a-z 0-9 . _ - and not `emq`."""
    wrong: tuple[Any, ...] = ("", "emq", "a b", "a:b", "{q}", "é", "x" * 129, "a\n", None, b"q", 7)
    for name in wrong:
        refused("KEYS-3", "queue", lambda name=name: bench.backend.depth(name, "g"))  # type: ignore[misc]
    for name in ("a", "A.b_c-9", "x" * 128, "emqx"):
        equal("KEYS-3", f"depth in {name}", 0, bench.backend.depth(name, "nobody"))


@clause("KEYS-3", "ARG-refused")
def keys_3_group_names_outside_the_rule(bench: Bench) -> None:
    """Group names: 1 to 256 bytes of UTF-8, no control character, no lone surrogate."""
    wrong: tuple[Any, ...] = (
        "",
        "a\tb",
        "\x00",
        "\x9f",
        "x" * 257,
        "é" * 129,
        "\ud800",
        None,
        b"g",
        1,
    )
    for name in wrong:
        refused("KEYS-3", "group", lambda name=name: bench.backend.enqueue(bench.queue, name, b""))  # type: ignore[misc]
    _untouched("KEYS-3", bench)


@clause("KEYS-5", "ARG-refused")
def keys_5_payloads_are_bytes_and_nothing_else(bench: Bench) -> None:
    """Text, bytearray, memoryview and None are refused; nothing is encoded for the caller."""
    wrong: tuple[Any, ...] = ("text", bytearray(b"x"), memoryview(b"x"), None, 1, ["x"])
    for payload in wrong:
        refused("KEYS-5", "payload", lambda p=payload: bench.backend.enqueue(bench.queue, "g", p))  # type: ignore[misc]
    _untouched("KEYS-5", bench)


@clause("ARG-ids", "KEYS-4")
def arg_ids_admission_demands_a_job_id(bench: Bench) -> None:
    """`enqueue` takes branded ids only; other verbs take whatever would do as a name."""
    wrong: tuple[Any, ...] = (
        "",
        "job",
        "USR00000000001",
        "JOB0000000000",
        "JOB000000000001",
        "JOB0000000000!",
        "JOBAzL8n0Y58m8",
        "job00000000001",
        7,
        b"JOB00000000001",
    )
    for job_id in wrong:
        refused(
            "ARG-ids",
            "job_id",
            lambda job_id=job_id: bench.backend.enqueue(bench.queue, "g", b"", job_id=job_id),  # type: ignore[misc]
        )
    _untouched("ARG-ids", bench)
    equal("ARG-ids", "foreign id", "gone", bench.backend.complete(bench.queue, "any: id", 1))
    unusable: tuple[Any, ...] = ("", "a\n", "x" * 257, None, 3)
    for job_id in unusable:
        refused("ARG-ids", "job_id", lambda j=job_id: bench.backend.complete(bench.queue, j, 1))  # type: ignore[misc]


def _each(
    clause_id: str, argument: str, call: Callable[[Any], object], low: int, high: int
) -> None:
    """Everything that is no number of the range is refused."""
    for value in (*NO_NUMBERS, low - 1, high + 1, 2**63, 10**30):
        refused(clause_id, argument, lambda value=value: call(value))  # type: ignore[misc]


@clause("ARG-numbers", "ARG-refused")
def arg_numbers_of_the_core_verbs(bench: Bench) -> None:
    """Leases, delays, tokens, limits: never clamped, never coerced."""
    b, q = bench.backend, bench.queue
    most, ms = 2**53 - 1, 10**12
    _each("ARG-numbers", "lease_ms", lambda v: b.claim(q, v), 1, ms)
    _each("ARG-numbers", "lease_ms", lambda v: b.extend(q, ID, 1, v), 1, ms)
    _each("ARG-numbers", "delay_ms", lambda v: b.enqueue(q, "g", b"", delay_ms=v), 0, ms)
    _each("ARG-numbers", "token", lambda v: b.complete(q, ID, v), 1, most)
    _each("ARG-numbers", "token", lambda v: b.release(q, ID, v), 1, most)
    _each("ARG-numbers", "limit", lambda v: b.promote(q, v), 1, 1_000)
    _each("ARG-numbers", "limit", lambda v: b.reap(q, v), 1, 1_000)
    _each("ARG-numbers", "max_jobs", lambda v: b.snapshot(q, max_jobs=v), 1, 10_000)
    for delay_ms, most_attempts, argument in ((-1, 1, "delay_ms"), (0, 0, "max_attempts")):
        refused(
            "ARG-numbers",
            argument,
            lambda d=delay_ms, m=most_attempts: b.retry(  # type: ignore[misc]
                q, ID, 1, delay_ms=d, max_attempts=m, error=""
            ),
        )
    refused("ARG-numbers", "run_at_ms", lambda: b.enqueue(q, "g", b"", run_at_ms=2**53))
    refused("ARG-numbers", "run_at_ms", lambda: b.enqueue(q, "g", b"", run_at_ms=-1))
    _untouched("ARG-numbers", bench)


@clause("ARG-numbers", profiles=("control",))
def arg_numbers_of_the_control_verbs(bench: Bench) -> None:
    b, q = bench.backend, bench.queue
    _each("ARG-numbers", "n", lambda v: b.limit(q, "g", v), 1, 2**53 - 1)
    _each("ARG-numbers", "n", lambda v: b.weight(q, "g", v), 1, 1_000)
    _each("ARG-numbers", "limit", lambda v: b.lanes(q, limit=v), 1, 1_000)
    _each("ARG-numbers", "limit", lambda v: b.reap_group(q, "g", v), 1, 1_000)
    _untouched("ARG-numbers", bench)


@clause("ARG-numbers", profiles=("bulk",))
def arg_numbers_of_the_bulk_claims(bench: Bench) -> None:
    b, q = bench.backend, bench.queue
    _each("ARG-numbers", "n", lambda v: b.claim_many(q, OK_MS, v), 1, 1_000)
    _each("ARG-numbers", "n", lambda v: b.bclaim(q, OK_MS, v), 1, 1_000)
    _untouched("ARG-numbers", bench)


@clause("ARG-numbers", profiles=("wake",))
def arg_numbers_of_park(bench: Bench) -> None:
    """No fraction and no rounding ever becomes an endless block."""
    b, q = bench.backend, bench.queue
    _each("ARG-numbers", "timeout_ms", lambda v: b.park(q, v), 0, 10**12)
    refused("ARG-numbers", "timeout_ms", lambda: b.park(q, 0.5))  # type: ignore[arg-type]


@clause("ARG-refused")
def arg_refused_an_error_is_text(bench: Bench) -> None:
    """`error` is text; what is no text is not turned into some."""
    b, q = bench.backend, bench.queue
    wrong: tuple[Any, ...] = (None, b"bytes", 7, ValueError("boom"))
    for error in wrong:
        refused(
            "ARG-refused",
            "error",
            lambda error=error: b.retry(q, ID, 1, delay_ms=0, max_attempts=1, error=error),  # type: ignore[misc]
        )
    _untouched("ARG-refused", bench)


@clause("ARG-refused", profiles=("control",))
def arg_refused_flags_are_booleans_and_cursors_are_text(bench: Bench) -> None:
    """Nothing is taken for true or false, and a cursor is what a page gave."""
    b, q = bench.backend, bench.queue
    wrong: tuple[Any, ...] = (0, 1, "yes", None)
    for flag in wrong:
        refused("ARG-refused", "force", lambda flag=flag: b.remove(q, ID, force=flag))  # type: ignore[misc]
        refused("ARG-refused", "repair", lambda flag=flag: b.fsck(q, repair=flag))  # type: ignore[misc]
    cursors: tuple[Any, ...] = (0, b"cursor", ["x"])
    for cursor in cursors:
        refused("ARG-refused", "cursor", lambda cursor=cursor: b.lanes(q, cursor=cursor))  # type: ignore[misc]
    _untouched("ARG-refused", bench)


@clause("ARG-choices")
def arg_choices_a_delay_or_a_time_not_both(bench: Bench) -> None:
    b, q = bench.backend, bench.queue
    refused("ARG-choices", "run_at_ms", lambda: b.enqueue(q, "g", b"", delay_ms=1, run_at_ms=1))
    _untouched("ARG-choices", bench)


@clause("ARG-choices", profiles=("control",))
def arg_choices_explain_takes_one_subject(bench: Bench) -> None:
    b, q = bench.backend, bench.queue
    refused("ARG-choices", "job_id", lambda: b.explain(q))
    refused("ARG-choices", "job_id", lambda: b.explain(q, job_id=ID, group="g"))


@clause("ARG-items", profiles=("bulk",))
def arg_items_are_all_checked_first(bench: Bench) -> None:
    """The item and its field are named, and nothing of the call happened."""
    b, q = bench.backend, bench.queue
    good = NewJob("g", b"")
    bad: tuple[tuple[str, Any], ...] = (
        ("items[1].payload", NewJob("g", "text")),  # type: ignore[arg-type]
        ("items[1].group", NewJob("", b"")),
        ("items[1].job_id", NewJob("g", b"", job_id="nope")),
        ("items[1].delay_ms", NewJob("g", b"", delay_ms=-1)),
        ("items[1].run_at_ms", NewJob("g", b"", delay_ms=1, run_at_ms=1)),
        ("items[1]", "not an item"),
    )
    for argument, item in bad:
        refused("ARG-items", argument, lambda item=item: b.enqueue_many(q, [good, item]))  # type: ignore[misc]
    refused("ARG-items", "pairs[0].token", lambda: b.complete_many(q, [(ID, 0)]))
    refused("ARG-items", "pairs[0].job_id", lambda: b.extend_many(q, [("", 1)], OK_MS))
    refused("ARG-items", "items", lambda: b.enqueue_many(q, "text"))  # type: ignore[arg-type]
    _untouched("ARG-items", bench)
