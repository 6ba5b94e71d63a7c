"""`fsck` on states that only a foreign hand can leave, put in by thawing them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from echomq_memory import FrozenQueue, ManualClock, MemoryBackend, QueueModel

from echomq_core import Breach, JobRecord, Keyspace, encode_id, ops

QUEUE = "q"
KEYS = Keyspace(QUEUE)
A, B, C = (encode_id("JOB", n) for n in range(1, 4))


def _record(job_id: str, state: str, group: str = "g") -> JobRecord:
    return JobRecord(job_id, group, state, 1, b"", lapsed=True)


def _frozen(**parts: object) -> FrozenQueue:
    return replace(QueueModel(QUEUE).freeze(), **parts)  # type: ignore[arg-type]  # by test


def _fsck(model: QueueModel, *, repair: bool = False) -> list[Breach]:
    return model.apply(ops.Fsck(QUEUE, repair), 0)


STATES = [
    pytest.param(
        _frozen(rows=(_record(A, "dead"),)),
        [("STATE-1", KEYS.job(A), "g", A, "row says dead, no entry", "an entry in dead")],
        _frozen(rows=(replace(_record(A, "dead"), lapsed=False),), dead=(A,)),
        id="a dead row without an entry goes to dead, and the failed total stays",
    ),
    pytest.param(
        _frozen(rows=(_record(A, "scheduled"),)),
        [("STATE-1", KEYS.job(A), "g", A, "row says scheduled, no entry", "an entry in its lane")],
        _frozen(
            rows=(replace(_record(A, "pending"), lapsed=False),),
            lanes=(("g", (A,)),),
            ring=("g",),
            wakes=1,
        ),
        id="any other row without an entry goes to its lane, without a mark",
    ),
    pytest.param(
        _frozen(rows=(_record(A, "active"),), in_flight=(("g", 1),), paused=("g",)),
        [
            ("BOOK-1", KEYS.in_flight, "g", None, "1", "0"),
            ("STATE-1", KEYS.job(A), "g", A, "row says active, no entry", "an entry in its lane"),
        ],
        _frozen(
            rows=(replace(_record(A, "pending"), lapsed=False),),
            lanes=(("g", (A,)),),
            paused=("g",),
        ),
        id="a row that says active gives its slot back",
    ),
    pytest.param(
        _frozen(
            rows=(_record(A, "pending"),),
            lanes=(("g", (A, B)), ("h", (A,))),
            ring=("g", "h"),
            active=((A, 5), (B, 5)),
            schedule=((C, 5),),
            dead=(C,),
        ),
        [
            ("GHOST-1", KEYS.active, None, A, "entry without its row", "no entry"),
            ("GHOST-1", KEYS.active, None, B, "entry without its row", "no entry"),
            ("GHOST-1", KEYS.dead, None, C, "entry without its row", "no entry"),
            ("GHOST-1", KEYS.lane("g"), "g", B, "entry without its row", "no entry"),
            ("GHOST-1", KEYS.lane("h"), "h", A, "entry without its row", "no entry"),
            ("GHOST-1", KEYS.schedule, None, C, "entry without its row", "no entry"),
        ],
        _frozen(rows=(_record(A, "pending"),), lanes=(("g", (A,)),), ring=("g",)),
        id="ghosts go from every place; the same ghost in two places is two breaches",
    ),
    pytest.param(
        _frozen(in_flight=(("g", 0), ("h", 2), ("i", -1))),
        [
            ("BOOK-1", KEYS.in_flight, "h", None, "2", "0"),
            ("BOOK-1", KEYS.in_flight, "i", None, "-1", "0"),
            ("KEYS-6", KEYS.in_flight, "g", None, "0", "no field"),
        ],
        _frozen(),
        id="books are recounted and zero counters go",
    ),
    pytest.param(
        _frozen(rows=(_record(A, "active"),), active=((A, 5),)),
        [("BOOK-1", KEYS.in_flight, "g", None, "0", "1")],
        _frozen(rows=(_record(A, "active"),), active=((A, 5),), in_flight=(("g", 1),)),
        id="a count that is missing is put back",
    ),
    pytest.param(
        _frozen(
            rows=(_record(A, "pending", "z"), _record(B, "pending", "a"), _record(C, "pending")),
            lanes=(("a", (B,)), ("g", (C,)), ("z", (A,))),
            ring=("ghost town", "g"),
            paused=("g",),
        ),
        [
            ("RING-1", KEYS.ring, "a", None, "absent", "once"),
            ("RING-1", KEYS.ring, "g", None, "1 times", "absent"),
            ("RING-1", KEYS.ring, "ghost town", None, "1 times", "absent"),
            ("RING-1", KEYS.ring, "z", None, "absent", "once"),
        ],
        _frozen(
            rows=(_record(A, "pending", "z"), _record(B, "pending", "a"), _record(C, "pending")),
            lanes=(("a", (B,)), ("g", (C,)), ("z", (A,))),
            ring=("a", "z"),
            paused=("g",),
            wakes=1,
        ),
        id="missing lanes join in byte order with a wake, the others leave",
    ),
    pytest.param(
        _frozen(limits=(("g", 0), ("h", 3)), weights=(("g", -2), ("h", 1))),
        [
            ("SETTING-1", KEYS.limits, "g", None, "0", "a positive integer"),
            ("SETTING-1", KEYS.weights, "g", None, "-2", "a positive integer"),
        ],
        _frozen(limits=(("h", 3),), weights=(("h", 1),)),
        id="settings that are no positive integer go",
    ),
]


@pytest.mark.parametrize(("broken", "told", "mended"), STATES)
def test_fsck_tells_every_breach_and_mends_it(
    broken: FrozenQueue,
    told: list[tuple[str, str, str | None, str | None, str, str]],
    mended: FrozenQueue,
) -> None:
    """Told in order, as found; without `repair` nothing changes, with it nothing is left to tell."""
    model = QueueModel.thaw(broken)
    expected = [Breach(*breach, repaired=False) for breach in told]
    assert _fsck(model) == expected
    assert model.freeze() == broken
    assert _fsck(model, repair=True) == [replace(breach, repaired=True) for breach in expected]
    assert model.freeze() == mended
    assert _fsck(model) == []


def test_fsck_frees_a_lane_whose_slot_a_lost_row_held() -> None:
    with MemoryBackend(ManualClock()) as backend:
        backend.limit(QUEUE, "g", 1)
        for job_id in (A, B):
            backend.enqueue(QUEUE, "g", b"", job_id=job_id)
        backend.claim(QUEUE, 10)
        backend.store.lose_row(QUEUE, A)
        assert backend.park(QUEUE, 0)
        assert [breach.clause for breach in backend.fsck(QUEUE, repair=True)] == [
            "BOOK-1",
            "GHOST-1",
        ]
        assert backend.ring(QUEUE).items == ("g",)
        assert backend.park(QUEUE, 0)


def test_a_stored_setting_below_1_counts_as_absent() -> None:
    frozen = _frozen(
        rows=tuple(_record(job_id, "pending") for job_id in (A, B)),
        lanes=(("g", (A, B)),),
        ring=("g",),
        limits=(("g", 0),),
        weights=(("g", 0),),
    )
    model = QueueModel.thaw(frozen)
    (lane,) = model.apply(ops.Lanes(QUEUE), 0).items
    assert (lane.limit, lane.weight) == (None, 1)
    served = model.apply(ops.WClaim(QUEUE, 10), 0)
    assert [job.id for job in served] == [A]


def test_remove_takes_a_row_that_stands_nowhere_too() -> None:
    model = QueueModel.thaw(_frozen(rows=(_record(A, "active"),)))
    assert model.apply(ops.Explain(QUEUE, job_id=A), 0).reason == "misplaced"
    assert model.apply(ops.Complete(QUEUE, A, 1), 0) == "stale"
    assert model.apply(ops.Remove(QUEUE, A), 0) == "removed"
    assert model.freeze() == _frozen()
