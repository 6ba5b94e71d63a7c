"""Server microseconds and commands of every verb: `python -m benchmarks.verbs [--quick]`.

Starts a private server, prints Markdown. The floor is an empty script, measured in the same run.
"""

from __future__ import annotations

import argparse
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import echomq_lua
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import Job, JobState, Keyspace

from .measuring import BATCH, LEASE_MS, PAYLOAD, QUEUE, Bench, Calls, Case, Cost, Plan, floor
from .steps import print_steps

STANDARD = Plan(rounds=25, calls=40, batches=4)
QUICK = Plan(rounds=5, calls=20, batches=2)
LANES = (10, 1_000, 100_000)
LOOSE = 1_000_000
PAGES = ("lrange", "hscan", "sscan")
Prepare = Callable[[Bench, int], Calls]


def _claims(verb: str, *args: int) -> Prepare:
    def prepare(b: Bench, n: int) -> Calls:
        claim = partial(getattr(b.backend, verb), QUEUE, LEASE_MS, *args)
        return [partial(b.keep, claim)] * n

    return prepare


def _limited(prepare: Prepare) -> Prepare:
    """Every lane has a limit that is far away."""

    def limited(b: Bench, n: int) -> Calls:
        limits = Keyspace(QUEUE).limits
        if b.raw.hlen(limits) != b.lanes:
            b.raw.hset(limits, mapping={f"g{i}": LOOSE for i in range(b.lanes)})
        return prepare(b, n)

    return limited


def _settles(call: Callable[[ValkeyBackend, Job], object]) -> Prepare:
    return lambda b, n: [partial(call, b.backend, job) for job in b.hold(n)]


def _settles_many(verb: str, *args: int) -> Prepare:
    def prepare(b: Bench, n: int) -> Calls:
        batches = [[(job.id, job.token) for job in b.hold(BATCH)] for _ in range(n)]
        return [partial(getattr(b.backend, verb), QUEUE, pairs, *args) for pairs in batches]

    return prepare


def _groups(verb: str, *args: int, before: tuple[str, *tuple[int, ...]] | None = None) -> Prepare:
    """On one lane each, after `before` (a verb and its arguments) was done to it."""

    def prepare(b: Bench, n: int) -> Calls:
        groups = b.groups(min(n, b.lanes))
        if before:
            for group in groups:
                getattr(b.backend, before[0])(QUEUE, group, *before[1:])
        return [partial(getattr(b.backend, verb), QUEUE, group, *args) for group in groups]

    return prepare


def _plain(verb: str, *args: Any, **named: Any) -> Prepare:
    return lambda b, n: [partial(getattr(b.backend, verb), QUEUE, *args, **named)] * n


def _enqueue(b: Bench, n: int) -> Calls:
    return [partial(b.put_one, group) for group in b.groups(n)]


def _enqueue_new_lane(b: Bench, n: int) -> Calls:
    for i in range(n):
        b.backend.drain(QUEUE, f"new{i}")
    return [partial(b.put_one, f"new{i}") for i in range(n)]


def _enqueue_delayed(b: Bench, n: int) -> Calls:
    return [partial(b.put_one, group, LEASE_MS) for group in b.groups(n)]


def _enqueue_many(b: Bench, n: int) -> Calls:
    return [partial(b.put, b.groups(BATCH)) for _ in range(n)]


def _promote(b: Bench, n: int) -> Calls:
    b.put(b.groups(n * BATCH), delay_ms=LEASE_MS)
    b.age("schedule")
    return [partial(b.backend.promote, QUEUE, BATCH)] * n


def _reap(b: Bench, n: int) -> Calls:
    b.hold(n * BATCH)
    b.age("active")
    return [partial(b.backend.reap, QUEUE, BATCH)] * n


def _reap_group(b: Bench, n: int) -> Calls:
    groups = [job.group for job in b.hold(n)]
    b.age("active")
    return [partial(b.backend.reap_group, QUEUE, group, BATCH) for group in groups]


def _reassign(b: Bench, n: int) -> Calls:
    ids = b.put(b.groups(n))
    return [partial(b.backend.reassign, QUEUE, job_id, "elsewhere") for job_id in ids]


def _remove(b: Bench, n: int) -> Calls:
    return [partial(b.backend.remove, QUEUE, job_id) for job_id in b.put(b.groups(n))]


def _dead(b: Bench, n: int) -> list[str]:
    jobs = b.hold(n)
    for job in jobs:
        b.backend.retry(QUEUE, job.id, job.token, delay_ms=0, max_attempts=1, error="no")
    return [job.id for job in jobs]


def _reprocess(b: Bench, n: int) -> Calls:
    return [partial(b.backend.reprocess, QUEUE, job_id) for job_id in _dead(b, n)]


def _drain(b: Bench, n: int) -> Calls:
    groups = [f"drained{i}" for i in range(n)]
    b.put(group for group in groups for _ in range(BATCH))
    return [partial(b.backend.drain, QUEUE, group) for group in groups]


def _queue_pause(b: Bench, n: int) -> Calls:
    return [partial(b.backend.pause_queue, QUEUE), partial(b.backend.resume_queue, QUEUE)] * n


def _job_reads(verb: str) -> Prepare:
    return lambda b, n: [
        partial(getattr(b.backend, verb), QUEUE, job_id=job.id) for job in b.hold(n)
    ]


def _depths(b: Bench, n: int) -> Calls:
    return [partial(b.backend.depths, QUEUE, b.groups(BATCH)) for _ in range(n)]


def _retry(b: ValkeyBackend, job: Job) -> object:
    return b.retry(QUEUE, job.id, job.token, delay_ms=LEASE_MS, max_attempts=9, error="no")


CASES = (
    Case("enqueue", _enqueue),
    Case("enqueue, into a new lane", _enqueue_new_lane),
    Case("enqueue, delayed", _enqueue_delayed),
    Case("enqueue_many of 64, a job", _enqueue_many, per=BATCH),
    Case("claim", _claims("claim")),
    Case("claim_many of 64, a job", _claims("claim_many", BATCH), per=BATCH),
    Case("wclaim", _claims("wclaim")),
    Case("bclaim of 2", _claims("bclaim", 2)),
    Case("complete", _settles(lambda b, job: b.complete(QUEUE, job.id, job.token))),
    Case("complete_many of 64, a job", _settles_many("complete_many"), per=BATCH),
    Case("retry", _settles(_retry)),
    Case("release", _settles(lambda b, job: b.release(QUEUE, job.id, job.token))),
    Case("extend", _settles(lambda b, job: b.extend(QUEUE, job.id, job.token, LEASE_MS))),
    Case("extend_many of 64, a job", _settles_many("extend_many", LEASE_MS), per=BATCH),
    Case("promote of 64, a job", _promote, per=BATCH),
    Case("reap of 64, a job", _reap, per=BATCH),
    Case("reap_group, other groups expired too", _reap_group),
    Case("park, 0 ms", _plain("park", 0), outer=("lpop",)),
    Case("wake", _plain("wake")),
    Case("next_due", _plain("next_due")),
    Case("job", _job_reads("job"), outer=("hgetall",)),
    Case("depth", _groups("depth"), outer=("zcard",)),
    Case("depths of 64", _depths),
    Case("explain, a job", _job_reads("explain")),
    Case("pause *", _groups("pause")),
    Case("resume", _groups("resume", before=("pause",))),
    Case("limit", _groups("limit", LOOSE, before=("unlimit",))),
    Case("claim, limits that do not bind", _limited(_claims("claim"))),
    Case(
        "complete, limits that do not bind",
        _limited(_settles(lambda b, job: b.complete(QUEUE, job.id, job.token))),
    ),
    Case("unlimit", _groups("unlimit", before=("limit", LOOSE))),
    Case("weight", _groups("weight", 2, before=("unweight",))),
    Case("unweight", _groups("unweight", before=("weight", 2))),
    Case("pause_queue, resume_queue", _queue_pause),
    Case("reassign", _reassign),
    Case("remove", _remove),
    Case("reprocess", _reprocess),
    Case("drain of 64 *", _drain),
    Case("ring, a page of 100", _plain("ring"), outer=("lrange",)),
    Case("browse active, a page of 100", _plain("browse", JobState.ACTIVE)),
    Case("dead_jobs, a page of 100", _plain("dead_jobs")),
    Case("stats **", _plain("stats"), outer=PAGES, all_lanes=True),
    Case("lanes, a page of 100 **", _plain("lanes"), outer=PAGES, all_lanes=True),
    Case("configuration **", _plain("configuration"), outer=PAGES, all_lanes=True),
)

# --- output -----------------------------------------------------------------------------------


@contextmanager
def started() -> Iterator[tuple[ValkeyBackend, redis.Redis]]:
    """A private server that knows all scripts, and two ways to it."""
    with (
        EmbeddedServer() as server,
        ValkeyBackend.from_url(server.url) as backend,
        redis.Redis(unix_socket_path=str(server.socket_path)) as raw,
    ):
        for name in echomq_lua.names():
            raw.script_load(echomq_lua.load(name))
        backend.depth(QUEUE, "g")
        yield backend, raw


def print_costs(lane_counts: tuple[int, ...], plan: Plan) -> None:
    columns: list[dict[str, Cost]] = []
    floors = []
    for lanes in lane_counts:
        with started() as (backend, raw):
            floors.append(floor(raw).us)
            bench = Bench(backend, raw, lanes)
            bench.fill()
            columns.append({case.name: case.measure(bench, plan) for case in CASES})
    heads = [f"{lanes:,} lanes: µs | commands | x floor" for lanes in lane_counts]
    print(f"| verb | {' | '.join(heads)} |")
    print(f"|---|{'---:|' * 3 * len(lane_counts)}")
    print(f"| an empty script (the floor) |{''.join(f' {us:.1f} | 0 | 1 |' for us in floors)}")
    for case in CASES:
        cells = [
            f" {column[case.name].us:.1f} | {column[case.name].commands:.1f} |"
            f" {column[case.name].us / us:.1f} |"
            for column, us in zip(columns, floors, strict=True)
        ]
        print(f"| {case.name} |{''.join(cells)}")


def print_memory(jobs: int) -> None:
    """From two fillings: all jobs in one lane, and each in a lane of its own."""
    used = []
    for lanes in (1, jobs):
        with started() as (backend, raw):
            bench = Bench(backend, raw, lanes)
            info: Any = raw.info("memory")
            before = info["used_memory"]
            bench.put(bench.groups(jobs))
            info = raw.info("memory")
            used.append((info["used_memory"] - before) / jobs)
    print(
        f"\nMemory of the server for a job with a payload of {len(PAYLOAD)} bytes, {jobs:,} jobs:"
    )
    print(
        f"{used[0]:.0f} bytes in one long lane; {used[1]:.0f} bytes when each has a lane of its own"
    )
    print("(row, lane, and the lane's place on the ring).")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer calls, up to 1,000 lanes")
    options = parser.parse_args()
    plan, lane_counts = (QUICK, LANES[:2]) if options.quick else (STANDARD, LANES)
    with started() as (backend, _):
        info = backend.check()
    print(f"{info.product} {info.version}, {platform.machine()}, {os.cpu_count()} cores.")
    print(f"Least of {plan.rounds} rounds; commands are those inside the script.\n")
    print_costs(lane_counts, plan)
    print("\n\\* takes a lane off the ring by a scan (RING-5). \\*\\* reads all lanes, in steps.")
    with started() as (backend, raw):
        print_steps(Bench(backend, raw, lanes=100))
    print_memory(10_000 if options.quick else 100_000)


if __name__ == "__main__":
    main()
