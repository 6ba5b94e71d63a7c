"""Server time of a call, as the server itself counts it: neither client nor network is in it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count, islice
from typing import Any

import redis
from echomq_valkey import ValkeyBackend

from echomq_core import Job, Keyspace, NewJob

__all__ = [
    "BATCH",
    "LEASE_MS",
    "PAYLOAD",
    "QUEUE",
    "Bench",
    "Calls",
    "Case",
    "Cost",
    "Plan",
    "floor",
]

QUEUE = "bench"
PAYLOAD = b"x" * 100
LEASE_MS = 1_000_000_000
BATCH = 64
LEAST_JOBS = 20_000
FLOOR_CALLS = 1_000
EMPTY_SCRIPT = "#!lua flags=no-writes\nreturn 1"
OURS = {"config|resetstat", "info"}

Calls = Sequence[Callable[[], object]]


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one call, or of one job of a batch: microseconds, and commands that the server ran for it."""

    us: float
    commands: float


@dataclass(frozen=True, slots=True)
class Plan:
    """The least of `rounds`, each of so many calls, or of so many batches for a batch verb.

    Many short rounds: one of them falls between what else the machine does.
    """

    rounds: int
    calls: int
    batches: int


@dataclass(slots=True)
class Bench:
    """A queue with many lanes on a private server, filled by `fill`."""

    backend: ValkeyBackend
    raw: redis.Redis
    lanes: int
    held: list[Job] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)

    def groups(self, n: int) -> list[str]:
        """The next n lanes, round and round."""
        return [f"g{i % self.lanes}" for i in islice(self.numbers, n)]

    def fill(self) -> None:
        """At least two jobs in each lane, so that a claim does not empty one."""
        jobs = max(2 * self.lanes, LEAST_JOBS)
        for start in range(0, jobs, 5_000):
            self.put(self.groups(min(5_000, jobs - start)))

    def put(self, groups: Iterable[str], delay_ms: int = 0) -> list[str]:
        items = [NewJob(group, PAYLOAD, delay_ms=delay_ms) for group in groups]
        return [answer.id for answer in self.backend.enqueue_many(QUEUE, items)]

    def put_one(self, group: str, delay_ms: int = 0) -> None:
        self.backend.enqueue(QUEUE, group, PAYLOAD, delay_ms=delay_ms)

    def hold(self, n: int) -> list[Job]:
        """n jobs claimed."""
        taken: list[Job] = []
        while len(taken) < n:
            served = self.backend.claim_many(QUEUE, LEASE_MS, min(n - len(taken), 1_000))
            if not served:
                raise RuntimeError(f"{n} jobs were to be claimed, {len(taken)} could: {served}")
            taken += served
        self.held += taken
        return taken

    def keep(self, claim: Callable[[], Any]) -> None:
        served = claim()
        self.held += served if isinstance(served, list) else [served]

    def restore(self) -> None:
        """Nothing is paused or held, and as many jobs as were claimed are in the same lanes."""
        self.backend.resume_queue(QUEUE)
        paused: Any = self.raw.smembers(Keyspace(QUEUE).paused)
        for group in paused:
            self.backend.resume(QUEUE, group.decode())
        self.backend.complete_many(QUEUE, [(job.id, job.token) for job in self.held])
        self.put(job.group for job in self.held)
        self.held.clear()

    def age(self, place: str) -> None:
        """Every due time or deadline of a place is over."""
        key = f"{Keyspace(QUEUE).base}{place}"
        entries: Any = self.raw.zrange(key, 0, -1)
        if entries:
            self.raw.zadd(key, dict.fromkeys(entries, 1))


@dataclass(frozen=True, slots=True)
class Case:
    """A verb. `prepare` makes the queue ready and answers n calls of it.

    `per`: jobs that one call handles. `outer`: the plain commands that it sends beside scripts.
    `all_lanes`: it reads every lane by design, so a few calls are enough.
    """

    name: str
    prepare: Callable[[Bench, int], Calls]
    per: int = 1
    outer: tuple[str, ...] = ()
    all_lanes: bool = False

    def measure(self, bench: Bench, plan: Plan) -> Cost:
        n = 2 if self.all_lanes else plan.calls if self.per == 1 else plan.batches
        costs = []
        for _ in range(2 if self.all_lanes else plan.rounds):
            calls = self.prepare(bench, n)
            costs.append(_cost(bench.raw, calls, self.per, self.outer))
            bench.restore()
        # Other programs on the machine only add.
        return Cost(min(cost.us for cost in costs), costs[-1].commands)


def _cost(raw: redis.Redis, calls: Calls, per: int, outer: Sequence[str]) -> Cost:
    raw.config_resetstat()
    for call in calls:
        call()
    info: Any = raw.info("commandstats")
    stats = {name.removeprefix("cmdstat_"): entry for name, entry in info.items()}
    us = sum(stats[name]["usec"] for name in ("evalsha", *outer) if name in stats)
    inside = stats.keys() - OURS - {"evalsha"}
    commands = sum(stats[name]["calls"] for name in inside)
    return Cost(us / len(calls) / per, commands / len(calls) / per)


def floor(raw: redis.Redis) -> Cost:
    """A script that does nothing, with the keys that every script declares.

    Rounds are long here: the server counts whole microseconds, and this takes about one.
    """
    digest = str(raw.script_load(EMPTY_SCRIPT))
    keys = Keyspace(QUEUE)

    def call() -> None:
        raw.evalsha(digest, 2, keys.base, keys.meta)

    costs = [_cost(raw, [call] * FLOOR_CALLS, 1, ()) for _ in range(5)]
    return Cost(min(cost.us for cost in costs), 0)
