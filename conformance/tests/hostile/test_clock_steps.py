"""HOSTILE-7: the server's clock steps, forward and back, by a library that lies to the server."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from echomq_valkey import EmbeddedServer, ValkeyBackend
from echomq_valkey.embedded import find_binary

from echomq_core import Empty, Job, Swept

from ..valkey.test_outages import until

MINUTE = 60_000
HOUR = 60 * MINUTE
LIBRARIES = sorted(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))

pytestmark = pytest.mark.skipif(not LIBRARIES, reason="needs libfaketime (Debian: libfaketime)")


@dataclass(frozen=True)
class Stepping:
    """A server whose clock a test sets; `queue` of `backend` starts empty."""

    backend: ValkeyBackend
    offset: Path

    def ahead_ms(self) -> int:
        return self.backend.snapshot("q").now_ms - time.time_ns() // 1_000_000

    def step(self, ms: int) -> None:
        """The server's clock is so far ahead of ours from now on."""
        self.offset.write_text(f"{ms // 1000:+d}\n")
        until(lambda: abs(self.ahead_ms() - ms) < 2_000, f"the clock is {ms} ms ahead")


@pytest.fixture
def stepping(tmp_path: Path) -> Iterator[Stepping]:
    offset, starter = tmp_path / "offset", tmp_path / "server"
    offset.write_text("+0\n")
    starter.write_text(
        "#!/bin/sh\n"
        f"export LD_PRELOAD={LIBRARIES[0]} FAKETIME_TIMESTAMP_FILE={offset}\n"
        "export FAKETIME_NO_CACHE=1 FAKETIME_DONT_FAKE_MONOTONIC=1\n"
        f'exec {find_binary()} "$@"\n'
    )
    starter.chmod(0o755)
    with (
        EmbeddedServer(binary=starter) as server,
        ValkeyBackend.from_url(server.url) as backend,
    ):
        yield Stepping(backend, offset)


def test_hostile_7_a_step_forward_ends_leases_early_and_loses_nothing(stepping: Stepping) -> None:
    backend = stepping.backend
    ids = [backend.enqueue("q", "g", b"x").id for _ in range(3)]
    ids.append(backend.enqueue("q", "g", b"later", delay_ms=30 * MINUTE).id)
    first, second = backend.claim_many("q", 10 * MINUTE, 2)
    stepping.step(HOUR)

    assert backend.next_due("q") == 0
    assert backend.reap("q", 10) == Swept(2, 0, 0)
    assert backend.promote("q", 10) == Swept(1, 0, 0)
    assert backend.fsck("q") == []
    again = backend.claim("q", 10 * MINUTE)
    assert isinstance(again, Job)
    assert (again.id, again.token) == (first.id, 2)
    assert backend.complete("q", first.id, first.token) == "stale"
    assert backend.complete("q", second.id, second.token) == "completed"
    lane = backend.lanes("q").items[0]
    assert lane.oldest_age_ms is not None
    assert abs(lane.oldest_age_ms - HOUR) < MINUTE
    ids.append(backend.enqueue("q", "g", b"x").id)
    assert ids == sorted(ids)
    rest = {job.id for job in backend.claim_many("q", HOUR, 10)}
    assert rest == set(ids) - {first.id, second.id}


def test_hostile_7_a_step_back_ends_leases_late_and_loses_nothing(stepping: Stepping) -> None:
    backend = stepping.backend
    ids = [backend.enqueue("q", "g", b"x").id for _ in range(2)]
    held = backend.claim("q", 10 * MINUTE)
    assert isinstance(held, Job)
    ids.append(backend.enqueue("q", "g", b"later", delay_ms=5 * MINUTE).id)
    stepping.step(-HOUR)

    due = backend.next_due("q")
    assert due is not None
    assert abs(due - 65 * MINUTE) < MINUTE
    assert backend.reap("q", 10) == backend.promote("q", 10) == Swept(0, 0, 0)
    assert backend.lanes("q").items[0].oldest_age_ms == 0
    assert backend.extend("q", held.id, held.token, MINUTE) == "extended"
    due = backend.next_due("q")
    assert due is not None
    assert due <= MINUTE
    ids.append(backend.enqueue("q", "g", b"x").id)
    assert ids == sorted(ids)
    assert [backend.park("q", 0), backend.park("q", 300)] == [True, False]
    assert backend.complete("q", held.id, held.token) == "completed"
    assert {job.id for job in backend.claim_many("q", HOUR, 10)} == {ids[1], ids[3]}

    stepping.step(0)
    assert backend.promote("q", 10) == Swept(0, 0, 0)
    stepping.step(6 * MINUTE)
    assert backend.promote("q", 10) == Swept(1, 0, 0)
    late = backend.claim("q", HOUR)
    assert isinstance(late, Job)
    assert late.id == ids[2]
    assert backend.claim("q", HOUR) == Empty("ring_empty")  # type: ignore[arg-type]
    assert backend.fsck("q") == []
