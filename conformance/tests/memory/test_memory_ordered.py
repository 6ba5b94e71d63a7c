"""`Ordered` against a sorted list."""

from __future__ import annotations

from echomq_memory.ordered import Ordered
from hypothesis import given
from hypothesis import strategies as st

IDS = st.sampled_from(["a", "b", "c", "é", "z", "🦊", "\uffff"])
SCORES = st.integers(0, 4)
STEPS = st.one_of(
    st.tuples(st.just("add"), IDS, SCORES),
    st.tuples(st.just("discard"), IDS, st.just(0)),
    st.tuples(st.just("take_first"), st.just(""), st.just(0)),
    st.tuples(st.just("take_until"), st.just(""), SCORES),
)


@given(st.lists(STEPS, max_size=60), st.integers(1, 3))
def test_ordered_equals_a_list_sorted_by_score_and_bytes(
    steps: list[tuple[str, str, int]], limit: int
) -> None:
    ordered, naive = Ordered(), dict[str, int]()

    def in_order() -> list[tuple[int, str]]:
        return sorted(((s, i) for i, s in naive.items()), key=lambda e: (e[0], e[1].encode()))

    for step, job_id, score in steps:
        match step:
            case "add":
                ordered.add(job_id, score)
                naive[job_id] = score
            case "discard":
                ordered.discard(job_id)
                naive.pop(job_id, None)
            case "take_first":
                expected = in_order()[0][1] if naive else None
                assert ordered.take_first() == expected
                naive.pop(expected or "", None)
            case "take_until":
                due = [i for s, i in in_order() if s <= score][:limit]
                assert ordered.take_until(score, limit) == due
                for taken in due:
                    del naive[taken]
        assert ordered.entries() == in_order()
        assert ordered.first() == (in_order()[0] if naive else None)
        assert len(ordered) == len(naive)
        assert bool(ordered) == bool(naive)
        assert ordered.score("a") == naive.get("a")
        assert ("é" in ordered) == ("é" in naive)


def test_ordered_keeps_no_more_stale_entries_than_live_ones() -> None:
    ordered = Ordered()
    for score in range(10_000):
        ordered.add("a", score)
        ordered.add("b", score)
    assert len(ordered._heap) <= 2 * 2 + 33
    assert ordered.entries() == [(9_999, "a"), (9_999, "b")]
