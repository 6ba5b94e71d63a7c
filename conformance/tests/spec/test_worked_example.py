"""The worked example of the spec, line by line, on both reference backends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from echomq_memory import MemoryBackend
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import Empty, FullBackend, Job, encode_id

CHAPTER = Path(__file__).parents[3] / "docs" / "spec" / "02-states-and-books.md"
QUEUE = "example"
LEASE_MS = 1_000_000
NAMES = ("a1", "a2", "a3", "b1", "b2", "c1", "c2", "c3")
IDS = {name: encode_id("JOB", number) for number, name in enumerate(NAMES, start=1)}
LABELS = {job_id: name for name, job_id in IDS.items()}


def example_lines() -> list[list[str]]:
    """The cells of each line of the table: call, answer, ring, lanes A B C, in flight, wake."""
    text = CHAPTER.read_text("utf-8").partition("## Worked example")[2]
    rows = re.findall(r"^\| \d+ \|(.+)\|$", text, re.MULTILINE)
    return [[cell.strip().strip("`").replace("–", "") for cell in row.split("|")] for row in rows]


class Play:
    """Carries the calls of the table out and words their answers as the table does."""

    def __init__(self, backend: FullBackend) -> None:
        self._backend = backend
        self._tokens: dict[str, int] = {}

    def call(self, words: list[str]) -> str:
        backend, name = self._backend, words[0]
        match words:
            case ["limit" | "weight", group, n]:
                return str(getattr(backend, name)(QUEUE, group, int(n))).lower()
            case ["pause" | "resume", group]:
                return str(getattr(backend, name)(QUEUE, group)).lower()
            case ["enqueue", group, *labels]:
                for label in labels:
                    backend.enqueue(QUEUE, group, label.encode(), job_id=IDS[label])
                return ""
            case ["claim" | "wclaim"]:
                return self._served(getattr(backend, name)(QUEUE, LEASE_MS))
            case ["park"]:
                return str(backend.park(QUEUE, 0)).lower()
            case ["complete", label]:
                return backend.complete(QUEUE, IDS[label], self._tokens.pop(label)).value
        raise AssertionError(f"the example has a call that this test does not know: {words}")

    def complete_all(self) -> None:
        for label in sorted(self._tokens):
            self.call(["complete", label])

    def _served(self, answer: Job | list[Job] | Empty) -> str:
        if isinstance(answer, Empty):
            return answer.reason.value
        jobs = [answer] if isinstance(answer, Job) else answer
        for job in jobs:
            assert job.payload.decode() == LABELS[job.id]
            self._tokens[LABELS[job.id]] = job.token
        return " ".join(LABELS[job.id] for job in jobs)


def state_cells(backend: FullBackend) -> list[str]:
    snapshot = backend.snapshot(QUEUE)
    lanes = [" ".join(LABELS[i] for i in snapshot.lanes.get(group, ())) for group in "ABC"]
    in_flight = " ".join(f"{group}={n}" for group, n in sorted(snapshot.in_flight.items()))
    return [" ".join(snapshot.ring), *lanes, in_flight, str(snapshot.wakes)]


@pytest.fixture(params=["memory", "valkey"])
def backend(request: pytest.FixtureRequest) -> Iterator[FullBackend]:
    if request.param == "memory":
        with MemoryBackend() as memory:
            yield memory
        return
    with EmbeddedServer() as server, ValkeyBackend.from_url(server.url) as valkey:
        yield valkey


def test_ring_2_every_line_of_the_worked_example_is_right(backend: FullBackend) -> None:
    lines = example_lines()
    assert len(lines) == 20
    play = Play(backend)
    for number, (call, answer, *expected) in enumerate(lines, start=1):
        assert [answer, *expected] == [play.call(call.split()), *state_cells(backend)], number


def test_keys_6_what_the_worked_example_leaves_is_what_it_says(backend: FullBackend) -> None:
    play = Play(backend)
    for call, *_ in example_lines():
        play.call(call.split())
    play.complete_all()
    left = backend.snapshot(QUEUE)
    assert state_cells(backend) == ["", "", "", "", "", "1"]
    assert left.limits == {"A": 2, "B": 1}
    assert left.weights == {"C": 2}
    assert (left.completed, left.failed) == (8, 0)
    assert (left.active, left.jobs) == ({}, {})
    assert backend.fsck(QUEUE) == []
