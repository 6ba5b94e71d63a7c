"""KEYS-1 to KEYS-6 and FIELD-1: the raw keys after each verb, worked out from the spec."""

from __future__ import annotations

import pytest
from echomq_valkey import ValkeyBackend

from echomq_core import Empty, Job, NewJob, encode_id

from .raw import Raw

A, B, C = (encode_id("JOB", n) for n in (11, 12, 13))
HOUR = 3_600_000


def claimed(backend: ValkeyBackend, queue: str, lease_ms: int = HOUR) -> Job:
    job = backend.claim(queue, lease_ms)
    assert isinstance(job, Job)
    return job


def test_keys_1_admission_writes_four_fields_a_lane_a_ring_and_one_token(
    raw: Raw, backend: ValkeyBackend
) -> None:
    backend.enqueue(raw.queue, "a:b", b"\x00\xff", job_id=A)
    base = f"emq:{{{raw.queue}}}:"
    assert raw.dump() == {
        base + "g:a:b:pending": ([(A.encode(), 0.0)], -1),
        base + "job:" + A: (
            {b"state": b"pending", b"attempts": b"0", b"payload": b"\x00\xff", b"group": b"a:b"},
            -1,
        ),
        base + "ring": ([b"a:b"], -1),
        base + "wake": ([b"1"], -1),
    }


def test_keys_1_a_delayed_admission_is_in_the_schedule_only(
    raw: Raw, backend: ValkeyBackend
) -> None:
    backend.enqueue(raw.queue, "g", b"x", job_id=A, run_at_ms=10**14)
    assert raw.names() == sorted([raw.keys.job(A), raw.keys.schedule, raw.keys.wake])
    assert raw.value(raw.keys.schedule) == [(A.encode(), 1e14)]
    assert raw.row(A)[b"state"] == b"scheduled"


def test_keys_6_a_finished_queue_leaves_totals_and_tokens_only(
    raw: Raw, backend: ValkeyBackend
) -> None:
    backend.enqueue_many(raw.queue, [NewJob(g, b"x") for g in ("g", "h", "g")])
    while job := backend.claim(raw.queue, HOUR):
        backend.complete(raw.queue, job.id, job.token)
    assert raw.names() == [raw.keys.completed, raw.keys.wake]
    assert raw.value(raw.keys.completed) == {b"count": b"3"}


def test_token_1_a_claim_writes_state_attempts_lease_and_book(
    raw: Raw, backend: ValkeyBackend
) -> None:
    backend.enqueue(raw.queue, "g", b"x", job_id=A)
    job = claimed(backend, raw.queue)
    assert job == Job(A, "g", b"x", token=1, attempt=1, deadline_ms=job.deadline_ms)
    assert raw.value(raw.keys.active) == [(A.encode(), float(job.deadline_ms))]
    seconds, micros = raw.client.time()
    assert abs(job.deadline_ms - (seconds * 1000 + micros // 1000) - HOUR) < 5_000
    assert raw.value(raw.keys.in_flight) == {b"g": b"1"}
    assert raw.row(A) == {
        b"state": b"active",
        b"attempts": b"1",
        b"payload": b"x",
        b"group": b"g",
    }
    assert raw.keys.ring not in raw.names()


def test_field_1_retry_release_reap_and_reprocess_write_their_fields_only(
    raw: Raw, backend: ValkeyBackend
) -> None:
    backend.enqueue(raw.queue, "g", b"x", job_id=A)
    row = {b"payload": b"x", b"group": b"g"}

    job = claimed(backend, raw.queue)
    backend.release(raw.queue, A, job.token)
    row |= {b"state": b"pending", b"attempts": b"1", b"forgiven": b"1"}
    assert raw.row(A) == row

    job = claimed(backend, raw.queue)
    assert (job.token, job.attempt) == (2, 1)
    backend.retry(raw.queue, A, job.token, delay_ms=0, max_attempts=5, error="")
    row |= {b"state": b"scheduled", b"attempts": b"2", b"last_error": b""}
    assert raw.row(A) == row

    assert backend.promote(raw.queue, 10).returned == 1
    job = claimed(backend, raw.queue)
    raw.client.zadd(raw.keys.active, {A: 1})
    assert backend.reap(raw.queue, 10).returned == 1
    row |= {b"state": b"pending", b"attempts": b"3", b"lapsed": b"1"}
    assert raw.row(A) == row

    job = claimed(backend, raw.queue)
    del row[b"lapsed"]
    row |= {b"state": b"active", b"attempts": b"4"}
    assert raw.row(A) == row

    raw.client.zadd(raw.keys.active, {A: 1})
    assert backend.reap(raw.queue, 10, max_attempts=3).dead == 1
    row |= {b"state": b"dead", b"last_error": b"lease expired"}
    assert raw.row(A) == row
    assert raw.value(raw.keys.failed) == {b"count": b"1"}
    assert raw.keys.in_flight not in raw.names()

    backend.reprocess(raw.queue, A)
    del row[b"last_error"]
    row |= {b"state": b"pending", b"forgiven": b"4"}
    assert raw.row(A) == row
    assert claimed(backend, raw.queue).attempt == 1


def test_setting_1_settings_that_are_no_positive_integers_count_as_absent(
    raw: Raw, backend: ValkeyBackend
) -> None:
    raw.client.hset(raw.keys.limits, mapping={"g": "0", "h": "1.5", "i": "many"})
    raw.client.hset(raw.keys.weights, mapping={"g": "-2"})
    backend.enqueue_many(raw.queue, [NewJob("g", b"x"), NewJob("g", b"y")])
    assert len(backend.bclaim(raw.queue, HOUR, 5)) == 2
    found = {(b.clause, b.key, b.group, b.found) for b in backend.fsck(raw.queue)}
    assert found == {
        ("SETTING-1", raw.keys.limits, "g", "0"),
        ("SETTING-1", raw.keys.limits, "h", "1.5"),
        ("SETTING-1", raw.keys.limits, "i", "many"),
        ("SETTING-1", raw.keys.weights, "g", "-2"),
    }
    backend.fsck(raw.queue, repair=True)
    assert backend.fsck(raw.queue) == []
    assert raw.keys.limits not in raw.names()


@pytest.mark.parametrize("verb", ["claim", "claim_many", "wclaim", "bclaim"])
def test_book_1_a_claim_that_meets_its_own_old_entry_recounts_what_it_has_just_written(
    raw: Raw, backend: ValkeyBackend, verb: str
) -> None:
    """Limit 2; A claimed, its row lost, A admitted again, B waits behind it: the claim of A fills
    the lane by the old book (2 of 2), the recount corrects it to 1, and the lane comes back."""
    backend.limit(raw.queue, "g", 2)
    backend.enqueue(raw.queue, "g", b"first life", job_id=A)
    claimed(backend, raw.queue)
    raw.client.delete(raw.keys.job(A))
    backend.enqueue(raw.queue, "g", b"second life", job_id=A)
    backend.enqueue(raw.queue, "g", b"x", job_id=B)
    n = {"claim_many": [1], "bclaim": [1]}.get(verb, [])
    assert getattr(backend, verb)(raw.queue, HOUR, *n)
    assert raw.value(raw.keys.in_flight) == {b"g": b"1"}
    assert raw.value(raw.keys.ring) == [b"g"]
    assert claimed(backend, raw.queue).id == B
    assert raw.keys.ring not in raw.names()


def test_wake_2_claim_many_past_a_ghosts_lane_leaves_no_token_on_an_emptied_ring(
    raw: Raw, backend: ValkeyBackend
) -> None:
    """Three lanes, one with a ghost only: two jobs empty the ring, so nothing is handed on."""
    backend.enqueue_many(raw.queue, [NewJob("g", b"x", A), NewJob("h", b"x"), NewJob("i", b"x")])
    raw.client.delete(raw.keys.job(A))
    assert backend.park(raw.queue, 0)
    assert len(backend.claim_many(raw.queue, HOUR, 2)) == 2
    assert raw.keys.ring not in raw.names()
    assert raw.keys.wake not in raw.names()


@pytest.mark.parametrize("verb", ["claim", "claim_many", "wclaim", "bclaim"])
def test_keys_6_a_turn_over_ghosts_only_writes_no_zero_counter(
    raw: Raw, backend: ValkeyBackend, verb: str
) -> None:
    backend.enqueue(raw.queue, "g", b"x", job_id=A)
    raw.client.delete(raw.keys.job(A))
    n = {"claim_many": [5], "bclaim": [5]}.get(verb, [])
    assert getattr(backend, verb)(raw.queue, HOUR, *n) == Empty("ghost")  # type: ignore[arg-type]
    assert raw.names() == [raw.keys.wake]


def test_keys_6_a_zero_counter_is_shown_told_and_mended(raw: Raw, backend: ValkeyBackend) -> None:
    raw.client.hset(raw.keys.in_flight, mapping={"g": 0})
    assert backend.snapshot(raw.queue).in_flight == {"g": 0}
    (breach,) = backend.fsck(raw.queue, repair=True)
    assert (breach.clause, breach.group, breach.found, breach.expected) == (
        "KEYS-6",
        "g",
        "0",
        "no field",
    )
    assert raw.names() == []


# --- foreign workers --------------------------------------------------------------------------


def foreign_row(raw: Raw, job_id: str, **fields: str) -> None:
    raw.put_row(job_id, **{"state": "active", "attempts": "1", "payload": "p", **fields})


@pytest.mark.parametrize("settle", ["complete", "retry", "release", "reap", "promote", "reprocess"])
def test_keys_flat_a_job_without_a_group_is_put_back_and_touches_no_book(
    raw: Raw, backend: ValkeyBackend, settle: str
) -> None:
    """Rows of foreign workers that have no group go back to the flat set, unmarked."""
    keys, queue = raw.keys, raw.queue
    place, state = {
        "promote": (keys.schedule, "scheduled"),
        "reprocess": (keys.dead, "dead"),
    }.get(settle, (keys.active, "active"))
    foreign_row(raw, A, state=state, note="kept")
    raw.client.zadd(place, {A: 1})
    match settle:
        case "complete":
            assert backend.complete(queue, A, 1) == "completed"
        case "retry":
            backend.retry(queue, A, 1, delay_ms=0, max_attempts=9, error="e")
            assert backend.promote(queue, 1).returned == 1
        case "release":
            assert backend.release(queue, A, 1) == "released"
        case "reap":
            assert backend.reap(queue, 1).returned == 1
        case "promote":
            assert backend.promote(queue, 1).returned == 1
        case "reprocess":
            assert backend.reprocess(queue, A) == "reprocessed"
    if settle == "complete":
        assert raw.names() == [keys.completed]
        return
    assert raw.value(keys.flat) == [(A.encode(), 0.0)]
    row = raw.row(A)
    assert (row[b"state"], row[b"note"], b"lapsed" in row) == (b"pending", b"kept", False)
    assert set(raw.names()) <= {keys.flat, keys.job(A), keys.wake}
    assert backend.fsck(queue) == []
    assert backend.complete(queue, A, 1) == "stale"


def test_turn_a_lane_that_a_foreign_hand_left_empty_or_full_on_the_ring_leaves_it(
    raw: Raw, backend: ValkeyBackend
) -> None:
    raw.client.rpush(raw.keys.ring, "empty", "full")
    raw.client.hset(raw.keys.limits, "full", 1)
    raw.client.hset(raw.keys.in_flight, "full", 1)
    raw.client.zadd(raw.keys.lane("full"), {A: 0})
    foreign_row(raw, A, state="pending", attempts="0", group="full")
    assert backend.claim(raw.queue, HOUR) == Empty("ghost")  # type: ignore[arg-type]
    assert raw.value(raw.keys.ring) == [b"full"]
    assert backend.claim_many(raw.queue, HOUR, 5) == Empty("ghost")  # type: ignore[arg-type]
    assert raw.keys.ring not in raw.names()
    assert backend.claim(raw.queue, HOUR) == Empty("ring_empty")  # type: ignore[arg-type]


def test_wake_1_tokens_of_foreign_workers_are_left_and_no_more_are_added(
    raw: Raw, backend: ValkeyBackend
) -> None:
    raw.client.lpush(raw.keys.wake, *["1"] * 64)
    backend.enqueue(raw.queue, "g", b"x")
    assert raw.client.llen(raw.keys.wake) == 64
    assert backend.park(raw.queue, 1_000)
    assert raw.client.llen(raw.keys.wake) == 63


def test_ring_1_a_duplicate_from_outside_is_mended_and_the_first_stays(
    raw: Raw, backend: ValkeyBackend
) -> None:
    backend.enqueue_many(raw.queue, [NewJob("g", b"x"), NewJob("h", b"x"), NewJob("g", b"y")])
    raw.client.rpush(raw.keys.ring, "g")
    (breach,) = backend.fsck(raw.queue)
    assert (breach.clause, breach.group, breach.found, breach.expected) == (
        "RING-1",
        "g",
        "2 times",
        "once",
    )
    assert [b.repaired for b in backend.fsck(raw.queue, repair=True)] == [True]
    assert raw.value(raw.keys.ring) == [b"g", b"h"]


def test_fsck_a_deleted_ring_books_and_places_are_mended_and_no_job_is_lost(
    raw: Raw, backend: ValkeyBackend
) -> None:
    """An operator deletes keys by hand, one by one; each time everything is found again."""
    jobs = [NewJob(g, b"x") for g in ("b", "a", "c") for _ in range(3)]
    ids = {answer.id for answer in backend.enqueue_many(raw.queue, jobs)}
    claimed(backend, raw.queue)
    backend.enqueue(raw.queue, "d", b"later", job_id=A, delay_ms=HOUR)
    ids.add(A)
    for key in (
        raw.keys.ring,
        raw.keys.in_flight,
        raw.keys.active,
        raw.keys.schedule,
        raw.keys.lane("a"),
    ):
        raw.client.delete(key)
        assert backend.fsck(raw.queue) != []
        assert all(b.repaired for b in backend.fsck(raw.queue, repair=True))
        assert backend.fsck(raw.queue) == []
    snapshot = backend.snapshot(raw.queue)
    assert set(snapshot.jobs) == ids
    assert {job_id for lane in snapshot.lanes.values() for job_id in lane} == ids
    assert sorted(snapshot.ring) == ["a", "b", "c", "d"]


def test_conn_6_no_key_of_a_queue_has_a_time_to_live(raw: Raw, backend: ValkeyBackend) -> None:
    backend.enqueue_many(raw.queue, [NewJob("g", b"x") for _ in range(4)])
    backend.limit(raw.queue, "g", 3)
    job = claimed(backend, raw.queue)
    backend.retry(raw.queue, job.id, 1, delay_ms=HOUR, max_attempts=9, error="e")
    job = claimed(backend, raw.queue)
    backend.retry(raw.queue, job.id, 1, delay_ms=0, max_attempts=1, error="e")
    claimed(backend, raw.queue)
    backend.pause_queue(raw.queue)
    assert {ttl for _, ttl in raw.dump().values()} == {-1}
    assert len(raw.names()) > 10
