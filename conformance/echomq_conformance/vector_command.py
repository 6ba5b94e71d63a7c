"""`python -m echomq_conformance vectors --url URL`: play the interop vectors against a server."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from uuid import uuid4

from echomq_core import EchoMQError, FullBackend, Keyspace, open_backend

from .target import Probe
from .vector import load_vectors
from .vector_play import differences

__all__ = ["add_arguments", "main", "play_all"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command `vectors`."""
    parser.add_argument("--url", required=True, help="of the backend and of its server")
    parser.add_argument(
        "--only", metavar="TEXT", default="", help="vectors whose name has this text"
    )


def main(options: argparse.Namespace) -> int:
    """Carry out the command; 0: all as the vectors say, 1: some not, or no server."""
    try:
        with open_backend(options.url) as backend, _door(options.url) as probe:
            backend.check()  # so that a server that is not there is told as such
            played, failed = 0, 0
            for name, found in play_all(backend, probe, options.only):
                played += 1
                failed += bool(found)
                for difference in found:
                    print(f"{name}: {difference}")
    except EchoMQError as error:
        print(f"echomq_conformance: {error}", file=sys.stderr)
        return 1
    print(f"{played} vectors, {failed} not as they say")
    return 1 if failed or not played else 0


def play_all(backend: FullBackend, probe: Probe, only: str = "") -> Iterator[tuple[str, list[str]]]:
    """Play each vector on a queue of its own, whose keys are deleted after it; what differs."""
    run = uuid4().hex[:8]
    for number, vector in enumerate(load_vectors()):
        if only not in vector.name:
            continue
        queue = f"vectors-{run}-{number}"
        try:
            yield vector.name, differences(vector, backend, probe, queue)
        finally:
            left = cast("list[bytes]", probe("KEYS", Keyspace(queue).base + "*"))
            if left:
                probe("DEL", *left)


@contextmanager
def _door(url: str) -> Iterator[Probe]:
    """A client of the same server, past the backend."""
    import redis

    scheme, _, rest = url.partition("://")
    known = {"valkey": "redis", "valkeys": "rediss"}
    client: Any = redis.Redis.from_url(f"{known.get(scheme, scheme)}://{rest}")
    try:
        yield client.execute_command
    finally:
        client.close()
