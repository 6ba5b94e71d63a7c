"""Checks of parking in real time, which the traces do not wait for."""

from __future__ import annotations

import time

from .registry import Bench, clause, equal


@clause("VERB-park", profiles=("wake",))
def verb_park_returns_after_its_time_out(bench: Bench) -> None:
    """Nothing comes: false after about the time-out, not before, and never for ever."""
    for timeout_ms in (0, 1, 60, 250):
        start = time.monotonic()
        answer = bench.backend.park(bench.queue, timeout_ms)
        took_ms = (time.monotonic() - start) * 1_000
        equal("VERB-park", f"park({timeout_ms})", False, answer)
        # Half a millisecond less: the store's clock and this one round apart.
        bounded = timeout_ms - 0.5 <= took_ms <= timeout_ms + 2_000
        assert bounded, f"VERB-park: park({timeout_ms}) took {took_ms:.1f} ms"


@clause("VERB-park", "WAKE-1", profiles=("wake",))
def verb_park_takes_a_token_that_waits(bench: Bench) -> None:
    """A token that is there ends a long park at once, and is taken once."""
    bench.admit("g")
    start = time.monotonic()
    equal("VERB-park", "park with a token", True, bench.backend.park(bench.queue, 30_000))
    took = time.monotonic() - start
    assert took < 10, f"VERB-park: took {took:.1f} s with a token there"
    equal("WAKE-1", "park without one", False, bench.backend.park(bench.queue, 0))


@clause("WAKE-2", profiles=("wake",))
def wake_2_one_token_spreads_to_as_many_as_there_is_work_for(bench: Bench) -> None:
    """Five consumers and one lane of five jobs: each token taken and claim made leaves the next."""
    b, q = bench.backend, bench.queue
    bench.admit("g", 5)
    woken = 0
    while b.park(q, 0):
        woken += bool(b.claim(q, 60_000))
        assert woken <= 5, "WAKE-2: more wakes than jobs"
    equal("WAKE-2", "consumers that worked", 5, woken)


@clause("VERB-next_due", profiles=("wake",))
def verb_next_due_knows_no_pause(bench: Bench) -> None:
    """A paused queue still tells when something is due."""
    b, q = bench.backend, bench.queue
    b.enqueue(q, "g", b"", delay_ms=1)
    bench.advance(10)
    equal("VERB-next_due", "overdue", 0, b.next_due(q))
    b.promote(q, 10)
    equal("VERB-next_due", "nothing waits", None, b.next_due(q))
