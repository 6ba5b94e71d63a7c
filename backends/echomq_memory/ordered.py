"""A set of ids in order of score, then id: what a lane, `active`, `schedule` and `dead` are."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush

__all__ = ["Ordered"]


class Ordered:
    """Ids with an integer score each, first by (score, id). Text compares as its UTF-8 bytes do.

    A heap beside a dict: an entry that was removed or scored anew stays in the heap until it
    comes up or the stale ones outnumber the live ones, so every change is amortised O(log n).
    """

    __slots__ = ("_heap", "_scores")

    def __init__(self, entries: Iterable[tuple[str, int]] = ()) -> None:
        self._scores: dict[str, int] = dict(entries)
        self._heap: list[tuple[int, str]] = []
        self._rebuild()

    def __len__(self) -> int:
        return len(self._scores)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._scores

    def add(self, job_id: str, score: int = 0) -> None:
        """Put an id in; where it already is, overwrite its score."""
        if self._scores.get(job_id) == score:
            return
        self._scores[job_id] = score
        heappush(self._heap, (score, job_id))
        if len(self._heap) > 2 * len(self._scores) + 32:
            self._rebuild()

    def discard(self, job_id: str) -> None:
        """Take an id out, if it is in."""
        self._scores.pop(job_id, None)
        if not self._scores:
            self._heap.clear()

    def score(self, job_id: str) -> int | None:
        """The score of an id, or `None` if it is not in."""
        return self._scores.get(job_id)

    def first(self) -> tuple[int, str] | None:
        """The first (score, id), or `None`."""
        heap = self._heap
        while heap:
            score, job_id = heap[0]
            if self._scores.get(job_id) == score:
                return heap[0]
            heappop(heap)
        return None

    def take_first(self) -> str | None:
        """Remove and answer the first id, or `None`."""
        first = self.first()
        if first is None:
            return None
        heappop(self._heap)
        del self._scores[first[1]]
        return first[1]

    def take_until(self, score: int, limit: int) -> list[str]:
        """Remove and answer the first `limit` ids whose score is at most `score`, in order."""
        taken: list[str] = []
        while len(taken) < limit and (first := self.first()) is not None and first[0] <= score:
            heappop(self._heap)
            del self._scores[first[1]]
            taken.append(first[1])
        return taken

    def entries(self) -> list[tuple[int, str]]:
        """Every (score, id) in order: a scan."""
        return sorted((score, job_id) for job_id, score in self._scores.items())

    def ids(self) -> list[str]:
        """Every id in order: a scan."""
        return [job_id for _, job_id in self.entries()]

    def _rebuild(self) -> None:
        self._heap = [(score, job_id) for job_id, score in self._scores.items()]
        heapify(self._heap)
