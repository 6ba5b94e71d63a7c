"""Checks of reads that need more jobs, or more looking, than a trace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from echomq_core import JobState, Page

from .registry import Bench, clause, equal

T = TypeVar("T")

LEASE_MS = 60_000


def _all(read: Callable[[str | None], Page[T]]) -> list[T]:
    items: list[T] = []
    cursor = None
    for _ in range(500):
        page = read(cursor)
        items += page.items
        cursor = page.cursor
        if cursor is None:
            return items
    raise AssertionError("PAGE-1: no end after 500 pages")


@clause("PAGE-1", "VERB-reads", profiles=("control",))
def page_1_pages_of_any_size_show_everything_once(bench: Bench) -> None:
    """Lanes, ring, jobs and settings, in pages of one, three and a hundred."""
    b, q = bench.backend, bench.queue
    # Names before and after those of ids in byte order.
    groups = [f"{number:02d}" if number < 6 else f"g{number:02d}" for number in range(11)]
    ids = {group: bench.admit(group, 3) for group in groups}
    for group in groups[:5]:
        b.weight(q, group, 2)
    jobs = [job_id for group in groups for job_id in ids[group]]
    for limit in (1, 2, 3, 100):
        _pages_of(bench, limit, groups, jobs)


def _pages_of(bench: Bench, limit: int, groups: list[str], jobs: list[str]) -> None:
    b, q = bench.backend, bench.queue
    lanes = _all(lambda cursor: b.lanes(q, cursor=cursor, limit=limit))
    equal("PAGE-1", f"lanes by {limit}", groups, [lane.group for lane in lanes])
    ring = _all(lambda cursor: b.ring(q, cursor=cursor, limit=limit))
    equal("PAGE-1", f"ring by {limit}", groups, ring)
    rows = _all(lambda cursor: b.browse(q, JobState.PENDING, cursor=cursor, limit=limit))
    equal("PAGE-1", f"pending by {limit}", jobs, [row.id for row in rows])
    settings = _all(lambda cursor: b.configuration(q, cursor=cursor, limit=limit))
    equal("PAGE-1", f"settings by {limit}", groups[:5], [lane.group for lane in settings])


@clause("PAGE-1", "VERB-reads", profiles=("control",))
def page_1_pages_of_jobs_by_time_and_of_the_dead(bench: Bench) -> None:
    """Active and scheduled jobs by time then id, dead ones by id, whatever the page's size."""
    b, q = bench.backend, bench.queue
    ids = bench.admit("g", 15)
    leased, late, dead = ids[:5], ids[5:10], ids[10:]
    for place, job_id in enumerate(ids):
        job = b.claim(q, LEASE_MS * (20 - place if job_id in leased else 100))
        equal("PAGE-1", "claimed", job_id, getattr(job, "id", job))
    for place, job_id in enumerate(late):
        delay_ms = LEASE_MS * (20 - place)
        b.retry(q, job_id, 1, delay_ms=delay_ms, max_attempts=9, error="")
    for job_id in dead:
        b.retry(q, job_id, 1, delay_ms=0, max_attempts=1, error="")
    for limit in (1, 2, 3, 4, 5, 6):
        for state, expected in (
            (JobState.ACTIVE, leased[::-1]),
            (JobState.SCHEDULED, late[::-1]),
            (JobState.DEAD, dead),
        ):
            rows = _all(lambda c, s=state, n=limit: b.browse(q, s, cursor=c, limit=n))  # type: ignore[misc]
            equal("PAGE-1", f"{state} by {limit}", expected, [row.id for row in rows])
        rows = _all(lambda c, n=limit: b.dead_jobs(q, cursor=c, limit=n))  # type: ignore[misc]
        equal("PAGE-1", f"dead_jobs by {limit}", dead, [row.id for row in rows])


@clause("PAGE-1", profiles=("control", "bulk"))
def page_1_goes_on_after_an_item_that_has_left(bench: Bench) -> None:
    """The last item seen is settled or removed before the next page, among equal times, too."""
    b, q = bench.backend, bench.queue
    ids = bench.admit("g", 8)
    b.bclaim(q, LEASE_MS, 8)
    page = b.browse(q, JobState.ACTIVE, limit=3)
    for job_id in (ids[0], ids[2]):
        b.complete(q, job_id, 1)
    page = b.browse(q, JobState.ACTIVE, cursor=page.cursor, limit=2)
    equal("PAGE-1", "active, second page", ids[3:5], [row.id for row in page.items])
    for job_id in ids[3:5]:
        b.retry(q, job_id, 1, delay_ms=0, max_attempts=1, error="")
    page = b.browse(q, JobState.ACTIVE, cursor=page.cursor, limit=9)
    equal("PAGE-1", "active, third page", ids[5:], [row.id for row in page.items])
    pending = bench.admit("h", 4)
    page = b.browse(q, JobState.PENDING, limit=2)
    b.remove(q, pending[1])
    page = b.browse(q, JobState.PENDING, cursor=page.cursor, limit=2)
    equal("PAGE-1", "pending, second page", pending[2:], [row.id for row in page.items])
    dead = b.dead_jobs(q, limit=1)
    b.remove(q, ids[3])
    dead = b.dead_jobs(q, cursor=dead.cursor, limit=5)
    equal("PAGE-1", "dead, second page", [ids[4]], [row.id for row in dead.items])


@clause("VERB-reads", "VERB-stats", profiles=("control",))
def verb_reads_ages_come_from_the_mint(bench: Bench) -> None:
    """An age is the store's now less the mint time of the lane's oldest, never below 0."""
    b, q = bench.backend, bench.queue
    b.enqueue(q, "old", b"", job_id="JOB00000000001")
    b.enqueue(q, "future", b"", job_id="JOBAzL8n0Y58m7")
    now_ms = bench.harness.now_ms(q)
    lanes = {lane.group: lane.oldest_age_ms for lane in b.lanes(q).items}
    equal("VERB-reads", "age of an id minted in the future", 0, lanes["future"])
    age = lanes["old"]
    expected = now_ms - 1_704_067_200_000
    close = age is not None and abs(age - expected) < 5_000
    assert close, f"VERB-reads: age expected about {expected}, got {age}"


@clause("VERB-explain", profiles=("control",))
def verb_explain_is_a_sentence_for_a_person(bench: Bench) -> None:
    """The text is one sentence that names what it is about."""
    b, q = bench.backend, bench.queue
    (job_id,) = bench.admit("lane one")
    for explanation, name in (
        (b.explain(q, job_id=job_id), job_id),
        (b.explain(q, group="lane one"), "lane one"),
        (b.explain(q, group="nobody"), "nobody"),
    ):
        equal("VERB-explain", "subject", name, explanation.subject)
        told = name in explanation.text and explanation.text.endswith(".")
        assert told, f"VERB-explain: {explanation.text!r} does not name {name!r}"


@clause("VERB-fsck", "KEYS-6", profiles=("control",))
def verb_fsck_finds_nothing_in_a_sound_queue(bench: Bench) -> None:
    """A busy queue without a fault has no breach, and a repair changes nothing."""
    b, q = bench.backend, bench.queue
    b.limit(q, "a", 1)
    for group in "abc":
        bench.admit(group, 3)
    b.pause(q, "c")
    job = b.claim(q, LEASE_MS)
    b.enqueue(q, "a", b"", delay_ms=LEASE_MS)
    assert job, "VERB-fsck: nothing was served"
    before = bench.see()
    equal("VERB-fsck", "breaches", [], b.fsck(q))
    equal("VERB-fsck", "breaches with repair", [], b.fsck(q, repair=True))
    after = bench.see()
    equal(
        "VERB-fsck",
        "queue",
        (before.ring, before.lanes, before.jobs, before.in_flight),
        (after.ring, after.lanes, after.jobs, after.in_flight),
    )


@clause("VERB-fsck", "GHOST-1", "BOOK-1", profiles=("control",))
def verb_fsck_mends_what_lost_rows_leave(bench: Bench) -> None:
    """Ghosts in every place are reported as found, mended, and then gone; no job is lost."""
    b, q = bench.backend, bench.queue
    (flying,) = bench.admit("a")
    b.claim(q, LEASE_MS)
    (waiting, kept) = bench.admit("a", 2)
    later = b.enqueue(q, "a", b"", delay_ms=LEASE_MS).id
    for job_id in (flying, waiting, later):
        bench.lose_row(job_id)
    ghosts = {breach.job_id for breach in b.fsck(q) if breach.clause == "GHOST-1"}
    equal("VERB-fsck", "ghosts reported", {flying, waiting, later}, ghosts)
    equal("VERB-fsck", "nothing mended by a report", (waiting, kept), bench.see().lanes["a"])
    assert all(breach.repaired for breach in b.fsck(q, repair=True)), "VERB-fsck: not all repaired"
    seen = bench.see()
    places = (dict(seen.lanes), dict(seen.active), dict(seen.schedule), dict(seen.in_flight))
    equal("VERB-fsck", "places after a repair", ({"a": (kept,)}, {}, {}, {}), places)
    equal("VERB-fsck", "breaches after a repair", [], b.fsck(q))
