"""Checks of states, books, ring and ids that the traces do not show."""

from __future__ import annotations

from itertools import pairwise

from echomq_core import (
    Empty,
    EmptyReason,
    Job,
    NewJob,
    decode_id,
    is_job_id,
    mint_job_id,
    minted_at_ms,
)

from .registry import Bench, clause, equal

LEASE_MS = 60_000


@clause("KEYS-4")
def keys_4_minted_ids_serve_in_mint_order(bench: Bench) -> None:
    """Ids that the backend mints are well formed, increasing, and served in that order."""
    minted = [bench.backend.enqueue(bench.queue, "g", b"").id for _ in range(20)]
    for job_id in minted:
        assert is_job_id(job_id), f"KEYS-4: {job_id!r} is no branded id"
    equal("KEYS-4", "minted ids, sorted by number", sorted(minted, key=decode_id), minted)
    served = [bench.backend.claim(bench.queue, LEASE_MS) for _ in minted]
    equal("KEYS-4", "order of service", minted, [getattr(job, "id", job) for job in served])


@clause("KEYS-4")
def keys_4_a_mint_carries_the_time_of_its_producer(bench: Bench) -> None:
    """The milliseconds in a minted id lie between two readings of the mint's clock."""
    before, job_id, after = (
        mint_job_id(),
        bench.backend.enqueue(bench.queue, "g", b"").id,
        mint_job_id(),
    )
    low, at, high = minted_at_ms(before), minted_at_ms(job_id), minted_at_ms(after)
    assert low is not None
    assert at is not None
    assert high is not None
    assert low <= at <= high, f"KEYS-4: minted at {at}, between {low} and {high}"


@clause("TOKEN-1")
def token_1_tokens_compare_as_numbers(bench: Bench) -> None:
    """Past 9, 99 and 256 the newest token alone is the right one, and 3 is no part of 30."""
    backend, queue = bench.backend, bench.queue
    (job_id,) = bench.admit("g")
    for token in range(1, 262):
        job = backend.claim(queue, LEASE_MS)
        equal("TOKEN-1", "token", token, getattr(job, "token", job))
        if token in (10, 30, 100, 257, 260):
            for old in (1, token // 10, token - 1, token + 1, token * 10):
                verdict = backend.extend(queue, job_id, old, LEASE_MS)
                equal("TOKEN-1", f"extend with {old} at token {token}", "stale", verdict)
        right = int(str(token))
        equal("TOKEN-1", "extend", "extended", backend.extend(queue, job_id, right, LEASE_MS))
        equal("TOKEN-1", "release", "released", backend.release(queue, job_id, right))
    job = backend.claim(queue, LEASE_MS)
    equal("TOKEN-1", "attempt after 261 releases", 1, getattr(job, "attempt", job))
    bench.advance(2 * LEASE_MS)
    equal("TOKEN-1", "reaped", 1, backend.reap(queue, 1).returned)
    equal("TOKEN-1", "complete with an old one", "stale", backend.complete(queue, job_id, 26))
    equal("TOKEN-1", "late complete", "completed", backend.complete(queue, job_id, int("262")))


@clause("RING-4", "RING-2")
def ring_4_no_lane_waits_more_than_one_turn_of_each_other(bench: Bench) -> None:
    """Between two turns of a lane that stays serviceable, every other lane has at most one."""
    for group, depth in (("big", 30), ("mid", 7), ("small", 3), ("one", 1)):
        bench.admit(group, depth)
    served: list[str] = []
    while isinstance(job := bench.backend.claim(bench.queue, LEASE_MS), Job):
        served.append(job.group)
    equal("RING-4", "jobs served", 41, len(served))
    for group in set(served):
        turns = [place for place, name in enumerate(served) if name == group]
        for start, end in pairwise(turns):
            between = served[start + 1 : end]
            most = max((between.count(other) for other in set(between)), default=0)
            assert most <= 1, f"RING-4: between two turns of {group!r}: {between}"


@clause("RING-4", "VERB-bclaim", profiles=("bulk",))
def ring_4_a_batch_is_one_turn(bench: Bench) -> None:
    """Batches of two lanes alternate, however long one of them is."""
    bench.admit("big", 12)
    bench.admit("small", 4)
    groups = []
    while jobs := bench.backend.bclaim(bench.queue, LEASE_MS, 2):
        groups.append({job.group for job in jobs})
    expected = [{"big"}, {"small"}] * 2 + [{"big"}] * 4
    equal("RING-4", "lanes of the batches", expected, groups)


@clause("VERB-turn", "GHOST-1", profiles=("bulk",))
def verb_turn_ends_with_its_1000th_ghost(bench: Bench) -> None:
    """Of 2,001 ghosts before a job two calls consume 1,000 each, and the third goes on to the job;
    past 999 ghosts a call goes on by itself."""
    backend, queue = bench.backend, bench.queue
    lost = [mint_job_id() for _ in range(2_001)]
    backend.enqueue_many(queue, [NewJob("g", b"", job_id=job_id) for job_id in lost])
    (kept,) = bench.admit("g")
    for job_id in lost:
        bench.lose_row(job_id)
    ghost = Empty(EmptyReason.GHOST)
    equal("VERB-turn", "1,000 ghosts, by claim", ghost, backend.claim(queue, LEASE_MS))
    equal("VERB-turn", "entries left", 1_002, backend.depth(queue, "g"))
    equal("VERB-turn", "by claim_many", ghost, backend.claim_many(queue, LEASE_MS, 5))
    equal("VERB-turn", "entries left", 2, backend.depth(queue, "g"))
    served = backend.bclaim(queue, LEASE_MS, 5)
    equal("VERB-turn", "served then", [kept], [job.id for job in served])
    lost = [mint_job_id() for _ in range(999)]
    backend.enqueue_many(queue, [NewJob("g", b"", job_id=job_id) for job_id in lost])
    (other,) = bench.admit("h")
    for job_id in lost:
        bench.lose_row(job_id)
    served = backend.claim_many(queue, LEASE_MS, 1)
    equal("VERB-turn", "past 999 ghosts", [other], [job.id for job in served])


@clause("RING-6", profiles=("control",))
def ring_6_every_lane_is_listed(bench: Bench) -> None:
    """Waiting, paused, and full lanes, and lanes with work in flight alone, are all listed."""
    backend, queue = bench.backend, bench.queue
    backend.limit(queue, "full", 1)
    bench.admit("full", 2)
    bench.admit("flying")
    for _ in range(2):
        backend.claim(queue, LEASE_MS)
    bench.admit("waiting")
    bench.admit("parked")
    backend.pause(queue, "parked")
    listed = [lane.group for lane in backend.lanes(queue).items]
    equal("RING-6", "lanes listed", ["flying", "full", "parked", "waiting"], listed)


@clause("BOOK-2", "BOOK-1", profiles=("control",))
def book_2_in_flight_never_passes_the_limit(bench: Bench) -> None:
    """However jobs are claimed and settled, a lane of limit two holds at most two."""
    backend, queue = bench.backend, bench.queue
    backend.limit(queue, "g", 2)
    bench.admit("g", 12)
    held: list[Job] = []
    done = 0
    while done < 12:
        while isinstance(job := backend.claim(queue, LEASE_MS), Job):
            held.append(job)
            assert len(held) <= 2, f"BOOK-2: {len(held)} in flight at a limit of 2"
        equal(
            "BOOK-1",
            "in flight",
            {"g": 2} if len(held) == 2 else {"g": 1},
            dict(bench.see().in_flight),
        )
        oldest = held.pop(0)
        backend.complete(queue, oldest.id, oldest.token)
        done += 1
    equal("BOOK-1", "in flight at the end", {}, dict(bench.see().in_flight))


@clause("STATE-2", "KEYS-6")
def state_2_every_admitted_job_is_finished_once(bench: Bench) -> None:
    """Crashing holders and retries lose nothing and finish nothing twice."""
    backend, queue = bench.backend, bench.queue
    admitted = {job_id for group in "abc" for job_id in bench.admit(group, 5)}
    finished: list[str] = []
    rounds = 0
    while len(finished) < 15:
        rounds += 1
        assert rounds < 100, f"STATE-2: {len(finished)} of 15 finished after 100 rounds"
        job = backend.claim(queue, LEASE_MS)
        if not isinstance(job, Job):
            bench.advance(2 * LEASE_MS)
            backend.reap(queue, 100)
            backend.promote(queue, 100)
        elif job.token == 1 and rounds % 3 == 0:
            backend.retry(queue, job.id, job.token, delay_ms=1_000, max_attempts=9, error="")
        elif job.token > 1 or rounds % 3 == 1:
            equal("STATE-2", "complete", "completed", backend.complete(queue, job.id, job.token))
            finished.append(job.id)
    equal("STATE-2", "jobs finished", admitted, set(finished))
    snapshot = bench.see()
    equal("STATE-2", "total", 15, snapshot.completed)
    left = (snapshot.ring, dict(snapshot.lanes), dict(snapshot.jobs), dict(snapshot.in_flight))
    equal("KEYS-6", "what a finished queue leaves", ((), {}, {}, {}), left)


@clause("KEYS-1", "STATE-1")
def keys_1_queues_with_similar_names_are_apart(bench: Bench) -> None:
    """Names that begin or end alike share nothing."""
    names = [bench.queue, bench.queue + ".", bench.queue + "-g", bench.queue + ".g"]
    for number, name in enumerate(names):
        bench.backend.enqueue(name, "g", str(number).encode())
    for number, name in enumerate(names):
        job = bench.backend.claim(name, LEASE_MS)
        payload = getattr(job, "payload", job)
        equal("KEYS-1", f"payload in {name}", str(number).encode(), payload)
        empty = bench.backend.claim(name, LEASE_MS)
        assert not empty, f"KEYS-1: {name} served another queue's job {empty!r}"
