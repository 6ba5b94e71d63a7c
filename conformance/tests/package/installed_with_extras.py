"""Run in an environment that holds the wheel with its extras: every entry point resolves and works."""

from __future__ import annotations

import asyncio
import sys
from importlib.metadata import entry_points

from echomq_conformance.target import available_targets, find_target

from echomq_core import open_async_backend, open_backend

SCHEMES = {"memory", "valkey", "valkeys", "redis", "rediss", "unix", "embedded"}
SCHEMES |= {"valkey-cluster", "embedded-cluster"}


async def round_trip_async(url: str) -> str:
    async with open_async_backend(url) as backend:
        await backend.enqueue("q", "g", b"payload")
        job = await backend.claim("q", 1_000)
        assert job
        return str(await backend.complete("q", job.id, job.token))


def round_trip(url: str) -> str:
    with open_backend(url) as backend:
        backend.enqueue("q", "g", b"payload")
        job = backend.claim("q", 1_000)
        assert job
        return str(backend.complete("q", job.id, job.token))


def main() -> None:
    schemes = {point.name: point.load() for point in entry_points(group="echomq.backends")}
    missing = SCHEMES - schemes.keys()
    if missing:
        sys.exit(f"no entry point for {', '.join(sorted(missing))}")
    names, left_out = available_targets()
    for name in names:
        target = find_target(name)
        print(f"target {name}: {target.name} {target.version}")
    # Its server is no dependency of the package.
    if left_out.keys() - {"valkey-8.1", "valkey-8.1-async"}:
        sys.exit(f"left out: {left_out}")
    for url in ("memory://", "embedded://"):
        for verdict in (round_trip(url), asyncio.run(round_trip_async(url))):
            if verdict != "completed":
                sys.exit(f"{url} answered {verdict}")
        print(f"{url} serves both faces")


if __name__ == "__main__":
    main()
