"""Reads: sizes, pages, explanations."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from echomq_memory import ManualClock, MemoryBackend

from echomq_core import (
    Explanation,
    ExplanationReason,
    InvalidArgument,
    JobRecord,
    JobState,
    Lane,
    LaneSettings,
    Page,
    QueueTooLarge,
    Stats,
    encode_id,
    mint_job_id,
    minted_at_ms,
)

QUEUE = "q"
LEASE = 1_000
A, B, C, D, E = (encode_id("JOB", n) for n in range(1, 6))


def _add(backend: MemoryBackend, group: str, *job_ids: str, delay_ms: int = 0) -> None:
    for job_id in job_ids:
        backend.enqueue(QUEUE, group, b"", job_id=job_id, delay_ms=delay_ms)


def _furnish(backend: MemoryBackend) -> None:
    """A dead, B active, C pending in g; D pending in h, paused; E scheduled."""
    _add(backend, "g", A, B, C)
    backend.bclaim(QUEUE, LEASE, 2)
    backend.retry(QUEUE, A, 1, delay_ms=0, max_attempts=1, error="boom")
    backend.pause(QUEUE, "h")
    _add(backend, "h", D)
    _add(backend, "i", E, delay_ms=500)
    backend.limit(QUEUE, "g", 4)
    backend.weight(QUEUE, "j", 2)


def test_job_answers_the_row_or_none(backend: MemoryBackend) -> None:
    _furnish(backend)
    assert backend.job(QUEUE, A) == JobRecord(A, "g", "dead", 1, b"", last_error="boom")
    assert backend.job(QUEUE, "nobody") is None


def test_stats_counts_entries(backend: MemoryBackend) -> None:
    _furnish(backend)
    backend.store.lose_row(QUEUE, C)
    assert backend.stats(QUEUE) == Stats(
        pending=2,
        active=1,
        scheduled=1,
        dead=1,
        completed=0,
        failed=1,
        lanes=2,
        serviceable=1,
        paused_lanes=1,
        wakes=1,
    )


def test_lanes_lists_groups_with_an_entry_or_a_job_in_flight(backend: MemoryBackend) -> None:
    _furnish(backend)
    backend.remove(QUEUE, C)
    lanes = backend.lanes(QUEUE).items
    assert lanes[0] == Lane("g", 0, 1, limit=4, weight=1, paused=False, oldest_age_ms=None)
    assert [(lane.group, lane.depth, lane.paused) for lane in lanes[1:]] == [("h", 1, True)]


@pytest.mark.parametrize(("after_mint_ms", "age_ms"), [(250, 250), (0, 0), (-5, 0)])
def test_clock_1_an_age_is_now_less_the_mint_time_and_never_negative(
    after_mint_ms: int, age_ms: int
) -> None:
    job_id = mint_job_id()
    minted_ms = minted_at_ms(job_id)
    assert minted_ms is not None
    with MemoryBackend(ManualClock(start_ms=minted_ms + after_mint_ms)) as backend:
        _add(backend, "g", job_id)
        assert backend.lanes(QUEUE).items[0].oldest_age_ms == age_ms


def test_configuration_lists_stored_values(backend: MemoryBackend) -> None:
    _furnish(backend)
    assert backend.configuration(QUEUE).items == (
        LaneSettings("g", limit=4, weight=None, paused=False, idle=False),
        LaneSettings("h", limit=None, weight=None, paused=True, idle=False),
        LaneSettings("j", limit=None, weight=2, paused=False, idle=True),
    )


def test_browse_lists_what_stands_in_a_state(backend: MemoryBackend) -> None:
    _furnish(backend)
    listed = {state: [r.id for r in backend.browse(QUEUE, state).items] for state in JobState}
    assert listed == {
        JobState.PENDING: [C, D],
        JobState.ACTIVE: [B],
        JobState.SCHEDULED: [E],
        JobState.DEAD: [A],
    }
    assert [record.id for record in backend.dead_jobs(QUEUE).items] == [A]


def _walk(page_after: Callable[[str | None], Page[JobRecord]]) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = page_after(cursor)
        pages.append([record.id for record in page.items])
        cursor = page.cursor
        if cursor is None:
            return pages


def test_browse_pages_go_on_where_they_were_and_leave_ghosts_out(backend: MemoryBackend) -> None:
    _add(backend, "h", A, E)
    _add(backend, "g", B, C, D)
    backend.store.lose_row(QUEUE, C)

    def page(cursor: str | None) -> Page[JobRecord]:
        return backend.browse(QUEUE, JobState.PENDING, cursor=cursor, limit=2)

    assert _walk(page) == [[B], [D, A], [E]]
    first = page(None)
    backend.remove(QUEUE, B)
    backend.reassign(QUEUE, E, "a")
    assert [record.id for record in page(first.cursor).items] == [D, A]


def test_browse_pages_of_the_schedule_go_by_time_then_id(backend: MemoryBackend) -> None:
    _add(backend, "g", C, delay_ms=1)
    _add(backend, "g", A, B, delay_ms=2)
    pages = _walk(lambda c: backend.browse(QUEUE, JobState.SCHEDULED, cursor=c, limit=1))
    assert pages == [[C], [A], [B]]


def test_pages_of_groups_and_of_the_ring(backend: MemoryBackend) -> None:
    for job_id, group in zip((A, B, C), ("z", "é", "a"), strict=True):
        _add(backend, group, job_id)
        backend.limit(QUEUE, group, 1)
    first = backend.lanes(QUEUE, limit=2)
    assert [lane.group for lane in first.items] == ["a", "z"]
    second = backend.lanes(QUEUE, cursor=first.cursor, limit=2)
    assert [lane.group for lane in second.items] == ["é"]
    assert second.cursor is None
    settings = backend.configuration(QUEUE, limit=1)
    assert [item.group for item in settings.items] == ["a"]
    ring = backend.ring(QUEUE, limit=2)
    assert ring.items == ("z", "é")
    assert backend.ring(QUEUE, cursor=ring.cursor, limit=2) == Page(("a",), None)


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "{}",
        "[]",
        '["lanes"]',
        '["lanes", 1]',
        '["lanes", "a", "b"]',
        '["ring", 1]',
        "[" * 100_000,
    ],
)
def test_a_cursor_of_no_page_is_refused(backend: MemoryBackend, cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        backend.lanes(QUEUE, cursor=cursor)


@pytest.mark.parametrize(
    "cursor", ['["ring", -1]', '["ring", true]', '["ring", "1"]', '["lanes", 1]']
)
def test_a_cursor_of_no_ring_page_is_refused(backend: MemoryBackend, cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        backend.ring(QUEUE, cursor=cursor)


@pytest.mark.parametrize(
    "cursor",
    ['["browse active", true, "x"]', '["browse active", 1]', '["browse scheduled", 1, "x"]'],
)
def test_a_cursor_of_another_state_is_refused(backend: MemoryBackend, cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        backend.browse(QUEUE, JobState.ACTIVE, cursor=cursor)


def test_snapshot_refuses_more_entries_than_asked_for(backend: MemoryBackend) -> None:
    _furnish(backend)
    assert len(backend.snapshot(QUEUE, max_jobs=5).jobs) == 5
    with pytest.raises(QueueTooLarge) as refused:
        backend.snapshot(QUEUE, max_jobs=4)
    assert (refused.value.entries, refused.value.max_jobs) == (5, 4)


def test_snapshot_names_ghosts_without_a_row(backend: MemoryBackend) -> None:
    _add(backend, "g", A)
    backend.store.lose_row(QUEUE, A)
    snapshot = backend.snapshot(QUEUE)
    assert (snapshot.lanes, snapshot.jobs) == ({"g": (A,)}, {})


def test_next_due_is_the_earlier_of_schedule_and_leases(
    backend: MemoryBackend, clock: ManualClock
) -> None:
    assert backend.next_due(QUEUE) is None
    _add(backend, "g", A, delay_ms=2_000)
    assert backend.next_due(QUEUE) == 2_000
    _add(backend, "g", B)
    backend.claim(QUEUE, LEASE)
    assert backend.next_due(QUEUE) == LEASE
    clock.advance(1_500)
    assert backend.next_due(QUEUE) == 0
    backend.complete(QUEUE, B, 1)
    assert backend.next_due(QUEUE) == 500


def test_wake_leaves_a_token_only_if_there_is_something_to_do(backend: MemoryBackend) -> None:
    assert not backend.wake(QUEUE)
    _add(backend, "g", A, delay_ms=5)
    assert not backend.wake(QUEUE)
    assert backend.park(QUEUE, 0)
    assert backend.wake(QUEUE)
    assert backend.park(QUEUE, 0)


def _why(explanation: Explanation) -> tuple[ExplanationReason, dict[str, object]]:
    assert explanation.text.endswith(".")
    assert explanation.subject in explanation.text
    return explanation.reason, dict(explanation.details)


def test_explain_a_job_where_it_stands(backend: MemoryBackend) -> None:
    _furnish(backend)
    assert _why(backend.explain(QUEUE, job_id="nobody")) == (ExplanationReason.GONE, {})
    assert _why(backend.explain(QUEUE, job_id=A)) == (
        ExplanationReason.DEAD,
        {"last_error": "boom"},
    )
    assert _why(backend.explain(QUEUE, job_id=B)) == (
        ExplanationReason.ACTIVE,
        {"deadline_ms": 1_001_000, "attempt": 1},
    )
    assert _why(backend.explain(QUEUE, job_id=D)) == (
        ExplanationReason.LANE_PAUSED,
        {"group": "h"},
    )
    assert _why(backend.explain(QUEUE, job_id=E)) == (
        ExplanationReason.SCHEDULED,
        {"due_ms": 1_000_500, "due_in_ms": 500},
    )


def test_explain_answers_the_first_reason_that_holds(backend: MemoryBackend) -> None:
    assert _why(backend.explain(QUEUE, group="h")) == (
        ExplanationReason.LANE_EMPTY,
        {"group": "h"},
    )
    _add(backend, "g", A)
    _add(backend, "h", B, C, D, E)
    waiting: dict[str, object] = {"group": "h", "ring_position": 1}
    assert _why(backend.explain(QUEUE, group="h")) == (ExplanationReason.WAITING, waiting)
    assert _why(backend.explain(QUEUE, job_id=D)) == (
        ExplanationReason.WAITING,
        {**waiting, "lane_position": 2},
    )
    backend.limit(QUEUE, "h", 2)
    backend.claim(QUEUE, LEASE)
    backend.claim(QUEUE, LEASE + 1)
    backend.claim(QUEUE, LEASE)
    full: dict[str, object] = {"group": "h", "in_flight": 2, "limit": 2, "holders": (C, B)}
    assert _why(backend.explain(QUEUE, group="h")) == (ExplanationReason.LANE_FULL, full)
    backend.pause(QUEUE, "h")
    assert _why(backend.explain(QUEUE, job_id=E))[0] is ExplanationReason.LANE_PAUSED
    backend.pause_queue(QUEUE)
    assert _why(backend.explain(QUEUE, group="h"))[0] is ExplanationReason.QUEUE_PAUSED


def test_explain_names_up_to_ten_holders_of_a_full_lane(backend: MemoryBackend) -> None:
    jobs = [encode_id("JOB", n) for n in range(1, 14)]
    backend.limit(QUEUE, "g", 12)
    _add(backend, "g", *jobs)
    backend.bclaim(QUEUE, LEASE, 12)
    details = backend.explain(QUEUE, job_id=jobs[12]).details
    assert (details["in_flight"], details["holders"]) == (12, tuple(jobs[:10]))
