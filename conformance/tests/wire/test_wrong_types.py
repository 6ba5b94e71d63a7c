"""ERR: a key of another type refuses the verb before its first write, and is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from echomq_valkey import ValkeyBackend

from echomq_core import Fate, JobState, NewJob, WrongKeyType, encode_id, ops

from .raw import Raw

EXPIRED = 1_000
FAR = 10**15
IDS = {name: encode_id("JOB", 1_000 + n) for n, name in enumerate("abcdefgh")}


def furnish(raw: Raw) -> None:
    """Every place is used: lane g (a, b; one of its jobs, c, is active, its limit reached and its
    lease expired), lane h (d), schedule (e, due), dead (f)."""
    client, keys = raw.client, raw.keys
    for name, group, state, attempts in (
        ("a", "g", "pending", 0),
        ("b", "g", "pending", 0),
        ("c", "g", "active", 1),
        ("d", "h", "pending", 0),
        ("e", "h", "scheduled", 1),
        ("f", "h", "dead", 3),
    ):
        raw.put_row(IDS[name], state=state, attempts=attempts, payload=name, group=group)
    client.zadd(keys.lane("g"), {IDS["a"]: 0, IDS["b"]: 0})
    client.zadd(keys.lane("h"), {IDS["d"]: 0})
    client.zadd(keys.active, {IDS["c"]: EXPIRED})
    client.zadd(keys.schedule, {IDS["e"]: EXPIRED})
    client.zadd(keys.dead, {IDS["f"]: 0})
    client.rpush(keys.ring, "h")
    client.hset(keys.in_flight, "g", 1)
    client.hset(keys.limits, mapping={"g": 1, "h": 5})
    client.hset(keys.weights, "h", 2)
    client.sadd(keys.paused, "p")
    client.hset(keys.meta, "note", "1")
    client.hset(keys.completed, "count", 7)
    client.hset(keys.failed, "count", 2)
    client.lpush(keys.wake, "1")


def operations(q: str) -> list[ops.QueueOp[Any]]:
    """Each verb, aimed so that it acts."""
    c = IDS["c"]
    new = encode_id("JOB", 2_000)
    return [
        ops.Enqueue(q, "new", b"x", new),
        ops.Enqueue(q, "new", b"x", new, 10**9),
        ops.EnqueueMany(q, (NewJob("new", b"x", new),)),
        ops.Claim(q, 1_000),
        ops.ClaimMany(q, 1_000, 5),
        ops.WClaim(q, 1_000),
        ops.BClaim(q, 1_000, 5),
        ops.Complete(q, c, 1),
        ops.CompleteMany(q, ((c, 1),)),
        ops.Retry(q, c, 1, 0, 9, "x"),
        ops.Retry(q, c, 1, 0, 1, "x"),
        ops.Release(q, c, 1),
        ops.Extend(q, c, 1, 1_000),
        ops.ExtendMany(q, ((c, 1),), 1_000),
        ops.Promote(q, 10),
        ops.Reap(q, 10),
        ops.Reap(q, 10, 1),
        ops.ReapGroup(q, "g", 10),
        ops.ReapGroup(q, "g", 10, 1),
        ops.Pause(q, "h"),
        ops.Resume(q, "p"),
        ops.Limit(q, "g", 2),
        ops.Unlimit(q, "g"),
        ops.Weight(q, "h", 3),
        ops.Unweight(q, "h"),
        ops.PauseQueue(q),
        ops.ResumeQueue(q),
        ops.Reassign(q, IDS["d"], "g"),
        ops.Drain(q, "h"),
        ops.Remove(q, c, force=True),
        ops.Remove(q, IDS["d"]),
        ops.Reprocess(q, IDS["f"]),
        ops.Park(q, 0),
        ops.Wake(q),
        ops.NextDue(q),
        ops.ReadJob(q, c),
        ops.Depth(q, "g"),
        ops.Depths(q, ("g", "h")),
        ops.ReadStats(q),
        ops.Lanes(q),
        ops.Ring(q),
        ops.DeadJobs(q),
        ops.Configuration(q),
        ops.Browse(q, JobState.PENDING),
        ops.Explain(q, job_id=IDS["a"]),
        ops.Explain(q, group="g"),
        ops.Snapshot(q),
        ops.Fsck(q, repair=True),
    ]


def breakable(raw: Raw) -> list[str]:
    """Every key of a furnished queue."""
    keys = raw.keys
    return [
        keys.ring,
        keys.active,
        keys.schedule,
        keys.dead,
        keys.in_flight,
        keys.limits,
        keys.weights,
        keys.paused,
        keys.meta,
        keys.completed,
        keys.failed,
        keys.wake,
        keys.lane("g"),
        keys.lane("h"),
        keys.job(IDS["a"]),
        keys.job(IDS["c"]),
        keys.job(IDS["d"]),
        keys.job(IDS["e"]),
        keys.job(IDS["f"]),
    ]


@pytest.mark.parametrize("nth", range(19))
def test_a_key_of_another_type_refuses_the_verb_and_nothing_is_written(
    raw: Raw, backend: ValkeyBackend, nth: int
) -> None:
    """For every key and every verb: either the verb does not need the key, or `WrongKeyType` names
    it and every other key is as before. A verb in steps may have finished steps before."""
    name = breakable(raw)[nth]
    refused = 0
    for op in operations(raw.queue):
        for old in raw.names():
            raw.client.delete(old)
        furnish(raw)
        assert name in raw.names()
        raw.client.delete(name)
        raw.client.set(name, "written by an operator")
        before = raw.dump()
        try:
            backend._perform(op)
        except WrongKeyType as error:
            refused += 1
            assert (error.key, error.found) == (name, "string"), op
            if not isinstance(op, ops.Fsck):
                assert raw.dump() == before, op
            if isinstance(op, ops.EnqueueMany | ops.CompleteMany | ops.ExtendMany):
                assert error.verdicts == [Fate.NOT_APPLIED], op
        else:
            assert raw.client.get(name) == b"written by an operator", op
    assert refused > 0, "no verb looked at this key"


def _ghost_meets_wrong_lane(raw: Raw) -> None:
    """An active entry without a row, so that reap recounts, and another group's lane is a string."""
    furnish(raw)
    raw.client.zadd(raw.keys.active, {IDS["g"]: EXPIRED})
    raw.client.hset(raw.keys.in_flight, mapping={"g": 1, "other": 1})
    raw.client.set(raw.keys.lane("other"), "written by an operator")


@pytest.mark.parametrize(
    "call",
    [
        lambda backend, queue: backend.reap(queue, 10),
        lambda backend, queue: backend.claim(queue, 1_000),
        lambda backend, queue: backend.claim_many(queue, 1_000, 5),
    ],
    ids=["reap", "claim", "claim_many"],
)
def test_book_1_a_recount_that_would_meet_another_type_refuses_before_any_write(
    raw: Raw, backend: ValkeyBackend, call: Callable[[ValkeyBackend, str], object]
) -> None:
    """The recount's own reads come before the first write of the verb that needs it."""
    _ghost_meets_wrong_lane(raw)
    raw.client.zadd(raw.keys.active, {IDS["d"]: EXPIRED})
    before = raw.dump()
    with pytest.raises(WrongKeyType) as caught:
        call(backend, raw.queue)
    assert caught.value.key == raw.keys.lane("other")
    assert raw.dump() == before


def test_verb_bulk_items_before_a_key_of_another_type_stand(
    raw: Raw, backend: ValkeyBackend
) -> None:
    """The verdicts list the items done, the refused one and the rest as not applied."""
    ids = [encode_id("JOB", 3_000 + n) for n in range(3)]
    raw.client.set(raw.keys.job(ids[1]), "written by an operator")
    with pytest.raises(WrongKeyType) as caught:
        backend.enqueue_many(raw.queue, [NewJob("g", b"x", job_id) for job_id in ids])
    first, *rest = caught.value.verdicts or []
    assert (getattr(first, "id", None), rest) == (ids[0], [Fate.NOT_APPLIED] * 2)
    assert caught.value.key == raw.keys.job(ids[1])
    assert backend.depth(raw.queue, "g") == 1
