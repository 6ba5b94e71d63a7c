"""Checks of fsck on keys that somebody broke by hand, through the target's back door."""

from __future__ import annotations

from collections.abc import Callable

from echomq_core import Enqueued, Job, Keyspace, NewJob, WrongKeyType

from .registry import Bench, clause, equal

WIRE = ("wire", "control")
LEASE_MS = 60_000


def _mended(bench: Bench, *expected: tuple[str, str | None, str | None]) -> None:
    """A report tells exactly these breaches and mends nothing, a repair mends them, and none is left."""
    b, q = bench.backend, bench.queue
    told = [(each.clause, each.group, each.job_id) for each in b.fsck(q)]
    equal("VERB-fsck", "breaches", sorted(expected, key=str), sorted(told, key=str))
    again = [(each.clause, each.group, each.job_id) for each in b.fsck(q, repair=True)]
    equal("VERB-fsck", "breaches of a report and of a repair", told, again)
    equal("VERB-fsck", "breaches after the repair", [], b.fsck(q))


@clause("VERB-fsck", "STATE-1", profiles=WIRE)
def verb_fsck_puts_rows_that_stand_nowhere_where_they_belong(bench: Bench) -> None:
    """Dead rows to `dead`, all others to their lanes, with their attempts and without the mark."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    pending, active, scheduled, dead, kept = bench.admit("g", 5)
    bench.probe("ZREM", keys.lane("g"), pending)
    for job_id in (active, scheduled, dead):
        equal("VERB-fsck", "claimed", job_id, getattr(b.claim(q, LEASE_MS), "id", None))
    b.retry(q, scheduled, 1, delay_ms=LEASE_MS, max_attempts=9, error="later")
    b.retry(q, dead, 1, delay_ms=0, max_attempts=1, error="never")
    bench.probe("ZREM", keys.active, active)
    bench.probe("ZREM", keys.schedule, scheduled)
    bench.probe("ZREM", keys.dead, dead)
    bench.probe("HSET", keys.job(active), "lapsed", "1")
    lost = [("STATE-1", "g", job_id) for job_id in (pending, active, scheduled, dead)]
    _mended(bench, *lost, ("BOOK-1", "g", None))
    seen = bench.see()
    equal("VERB-fsck", "lane", (pending, active, scheduled, kept), seen.lanes["g"])
    equal("VERB-fsck", "dead", (dead,), seen.dead)
    equal("VERB-fsck", "books", {}, dict(seen.in_flight))
    rows = [(seen.jobs[i].attempts, seen.jobs[i].lapsed) for i in (pending, active, scheduled)]
    equal("VERB-fsck", "attempts and mark", [(0, False), (1, False), (1, False)], rows)
    equal("VERB-fsck", "error kept", "never", seen.jobs[dead].last_error)
    equal("VERB-fsck", "failed total", 1, seen.failed)


@clause("VERB-fsck", "BOOK-1", profiles=WIRE)
def verb_fsck_recounts_books_that_are_too_high_or_too_low(bench: Bench) -> None:
    """A count for nobody, one too low, and a lane at its limit by a wrong count, which joins."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    bench.admit("a", 3)
    bench.admit("full", 1)
    b.limit(q, "full", 2)
    equal("VERB-fsck", "claimed", 2, len(list(b.bclaim(q, LEASE_MS, 2))))
    bench.probe("HSET", keys.in_flight, "a", 1, "full", 2, "nobody", 3)
    bench.probe("LREM", keys.ring, 0, "full")
    bench.probe("DEL", keys.wake)
    _mended(bench, ("BOOK-1", "a", None), ("BOOK-1", "full", None), ("BOOK-1", "nobody", None))
    seen = bench.see()
    equal("VERB-fsck", "books", {"a": 2}, dict(seen.in_flight))
    equal("VERB-fsck", "ring", ("a", "full"), seen.ring)
    equal("VERB-fsck", "a token for the lane that joined", 1, seen.wakes)


@clause("VERB-fsck", "RING-1", profiles=WIRE)
def verb_fsck_mends_the_ring(bench: Bench) -> None:
    """Twice on it: the first stays. Not on it: joins in byte order. On it for nothing: leaves."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    for group in ("twice", "z", "b", "held"):
        bench.admit(group)
    b.pause(q, "held")
    bench.probe("DEL", keys.ring, keys.wake)
    bench.probe("RPUSH", keys.ring, "twice", "held", "nobody", "twice", "twice")
    names = ("b", "held", "nobody", "twice", "z")
    _mended(bench, *(("RING-1", name, None) for name in names))
    seen = bench.see()
    equal("VERB-fsck", "ring", ("twice", "b", "z"), seen.ring)
    equal("VERB-fsck", "a token for the lanes that joined", 1, seen.wakes)


@clause("VERB-fsck", "GHOST-1", profiles=(*WIRE, "bulk"))
def verb_fsck_drops_ghosts_in_pages(bench: Bench) -> None:
    """More than a page of ghosts, and of real jobs, in every place; the real ones stay in order."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    real = bench.admit("g", 3)
    many = tuple(each.id for each in b.enqueue_many(q, [NewJob("h", b"")] * 600))
    ghosts = [f"JOB0000000{number:04d}" for number in range(1_100)]
    places: tuple[tuple[str, Callable[[int], int]], ...] = (
        (keys.lane("g"), lambda _: 0),
        (keys.active, lambda number: 10**13 + number // 7),
        (keys.dead, lambda _: 0),
    )
    for place, score in places:
        for start in range(0, len(ghosts), 100):
            entries = [
                part
                for number in range(start, start + 100)
                for part in (score(number), ghosts[number])
            ]
            bench.probe("ZADD", place, *entries)
    found = [each.job_id for each in b.fsck(q)]
    equal("VERB-fsck", "ghosts told", sorted(ghosts * 3), sorted(str(i) for i in found))
    equal("VERB-fsck", "ghosts mended", 3_300, len(b.fsck(q, repair=True)))
    equal("VERB-fsck", "breaches after the repair", [], b.fsck(q))
    seen = bench.see()
    equal(
        "VERB-fsck",
        "what stays",
        ({"g": tuple(real), "h": many}, {}, ()),
        (dict(seen.lanes), dict(seen.active), seen.dead),
    )


@clause("STATE-1", "TOKEN-2", profiles=WIRE)
def state_1_verbs_leave_a_row_that_stands_nowhere_alone(bench: Bench) -> None:
    """Each verb needs the entry as well as the row, or changes nothing; `remove` alone takes it."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    active, lapsed, dead, pending = bench.admit("g", 4)
    for job_id in (active, lapsed, dead):
        equal("STATE-1", "claimed", job_id, getattr(b.claim(q, LEASE_MS), "id", None))
    b.retry(q, dead, 1, delay_ms=0, max_attempts=1, error="")
    bench.probe("ZREM", keys.active, active)
    bench.advance(2 * LEASE_MS)
    equal("STATE-1", "reaped", 1, b.reap(q, 10).returned)
    bench.probe("ZREM", keys.lane("g"), lapsed, pending)
    bench.probe("ZREM", keys.dead, dead)
    rows = {job_id: _row(bench, keys.job(job_id)) for job_id in (active, lapsed, dead, pending)}
    found = (
        b.complete(q, active, 1),
        b.retry(q, active, 1, delay_ms=0, max_attempts=9, error=""),
        b.release(q, active, 1),
        b.extend(q, active, 1, LEASE_MS),
        b.complete(q, lapsed, 1),
        b.reassign(q, pending, "h"),
        b.reprocess(q, dead),
    )
    expected = ("stale", "stale", "stale", "stale", "stale", "not_pending", "not_dead")
    equal("STATE-1", "verdicts", expected, tuple(map(str, found)))
    for job_id, row in rows.items():
        equal("STATE-1", "row", row, _row(bench, keys.job(job_id)))
    seen = bench.see()
    places = (dict(seen.lanes), dict(seen.active), dict(seen.schedule), seen.dead, seen.completed)
    equal("STATE-1", "places", ({}, {}, {}, (), 0), places)
    for job_id in rows:
        equal("STATE-1", "remove", "removed", str(b.remove(q, job_id)))
        equal("STATE-1", "row after remove", [], _row(bench, keys.job(job_id)))


def _row(bench: Bench, key: str) -> list[object]:
    """The fields of a row, whichever protocol the back door speaks."""
    answer = bench.probe("HGETALL", key)
    if isinstance(answer, dict):
        return sorted(part for pair in answer.items() for part in pair)
    assert isinstance(answer, list)
    return sorted(answer)


@clause("ERR-midway", "ERR-wrong-type", profiles=("wire", "bulk"))
def err_midway_items_before_a_broken_key_stand(bench: Bench) -> None:
    """The first item is admitted, the one with the broken lane refused, the last not tried."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    bench.probe("SET", keys.lane("broken"), "text")
    items = [NewJob(group, b"") for group in ("g", "broken", "h")]
    try:
        answer = b.enqueue_many(q, items)
    except WrongKeyType as error:
        equal("ERR-midway", "key", keys.lane("broken"), error.key)
        first, *rest = error.verdicts or ()
        assert isinstance(first, Enqueued), f"ERR-midway: the first item came to {first!r}"
        equal("ERR-midway", "the others", ["not_applied"] * 2, [str(each) for each in rest])
    else:
        raise AssertionError(f"ERR-midway: expected WrongKeyType, got {answer!r}")
    bench.probe("DEL", keys.lane("broken"))
    equal("ERR-midway", "lanes", {"g": (first.id,)}, dict(bench.see().lanes))


@clause("VERB-turn", "RING-2", profiles=(*WIRE, "bulk"))
def verb_turn_takes_a_lane_off_that_a_hand_left_on_the_ring(bench: Bench) -> None:
    """A full lane, and one without jobs: each has its turn, loses nothing, and leaves the ring."""
    b = bench.backend
    for name in ("claim", "claim_many", "wclaim", "bclaim"):
        q = bench.queue = bench.harness.fresh_queue("hand")
        b.limit(q, "full", 1)
        first, second = bench.admit("full", 2)
        equal("VERB-turn", "claimed", first, getattr(b.claim(q, LEASE_MS), "id", None))
        (third,) = bench.admit("work")
        keys = Keyspace(q)
        bench.probe("DEL", keys.ring)
        bench.probe("RPUSH", keys.ring, "full", "nobody", "work")
        served: list[str] = []
        for _ in range(3):
            answer = _claimed_by(bench, name)
            served += [job.id for job in answer]
        equal("VERB-turn", f"served by {name} in three calls", [third], served)
        seen = bench.see()
        found = (seen.ring, seen.lanes, dict(seen.in_flight))
        equal(
            "VERB-turn", f"after {name}", ((), {"full": (second,)}, {"full": 1, "work": 1}), found
        )


def _claimed_by(bench: Bench, name: str) -> list[Job]:
    b, q = bench.backend, bench.queue
    match name:
        case "claim":
            job = b.claim(q, LEASE_MS)
            return [job] if isinstance(job, Job) else []
        case "claim_many":
            return list(b.claim_many(q, LEASE_MS, 2))
        case "wclaim":
            return list(b.wclaim(q, LEASE_MS))
    return list(b.bclaim(q, LEASE_MS, 2))


@clause("WIRE-2", "GHOST-1", profiles=WIRE)
def wire_2_a_sweep_puts_a_flat_job_back_beside_a_ghost(bench: Bench) -> None:
    """Expired together: the foreign row goes to the flat set and no book, the ghost is dropped."""
    b, q, keys = bench.backend, bench.queue, Keyspace(bench.queue)
    bench.probe("HSET", keys.job("foreign"), "state", "active", "attempts", 1, "payload", "p")
    bench.probe("ZADD", keys.active, 1, "foreign", 2, "ghost")
    swept = b.reap(q, 10)
    equal("WIRE-2", "swept", (1, 0, 1), (swept.returned, swept.dead, swept.dropped))
    equal("WIRE-2", "flat set", [b"foreign"], bench.probe("ZRANGE", keys.flat, 0, -1))
    seen = bench.see()
    places = (dict(seen.lanes), dict(seen.active), dict(seen.in_flight), seen.ring)
    equal("WIRE-2", "places", ({}, {}, {}, ()), places)
