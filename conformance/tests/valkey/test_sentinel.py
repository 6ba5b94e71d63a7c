"""A failover under parked and busy callers, found through Sentinel: CONN-4."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pytest
import redis
import redis.asyncio.sentinel
import redis.sentinel
from echomq_valkey import AsyncValkeyBackend, EmbeddedServer, ValkeyBackend
from echomq_valkey.embedded import find_binary
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import ConnectionTrouble, Empty, Job

from .test_connecting import free_port
from .test_outages import InThread, consume, enqueue_surely, until


@dataclass(frozen=True)
class Watched:
    """Two servers and the Sentinel that watches them."""

    sentinel: int

    def primary(self) -> int:
        client: Any
        with redis.Redis(port=self.sentinel) as client:
            found = client.execute_command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "main")
        return int(found[1])

    def failover(self) -> None:
        """Another server is the primary when this returns."""
        before = self.primary()
        with redis.Redis(port=self.sentinel) as client:
            # Refused while Sentinel has not heard yet that the replica is in order.
            until(lambda: _accepted(client, "SENTINEL", "FAILOVER", "main"), "a failover starts")
        until(lambda: self.primary() != before, "another primary")


def _accepted(client: Any, *command: str) -> bool:
    with suppress(redis.ResponseError):
        return bool(client.execute_command(*command))
    return False


def _answers(client: redis.Redis) -> bool:
    with suppress(redis.ConnectionError):
        return bool(client.ping())
    return False


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    primary, replica, sentinel = free_port(), free_port(), free_port()
    configuration = tmp_path_factory.mktemp("sentinel") / "sentinel.conf"
    configuration.write_text(
        f"port {sentinel}\n"
        "bind 127.0.0.1\n"
        f"sentinel monitor main 127.0.0.1 {primary} 1\n"
        "sentinel down-after-milliseconds main 1000\n"
        "sentinel failover-timeout main 3000\n"
    )
    fast = ("--repl-diskless-sync-delay", "0", "--bind", "127.0.0.1")
    following = ("--port", str(replica), "--replicaof", f"127.0.0.1 {primary}")
    with (
        EmbeddedServer(args=("--port", str(primary), *fast)),
        EmbeddedServer(args=(*following, *fast)),
        redis.Redis(port=replica) as follower,
        redis.Redis(port=sentinel) as watcher,
    ):
        until(lambda: _link_is_up(follower), "the replica follows")
        process = subprocess.Popen(
            [find_binary(), configuration, "--sentinel"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until(lambda: _answers(watcher), "Sentinel answers")
            # It learns of replicas from INFO, every ten seconds; tell it to look now.
            until(lambda: _replicas(watcher) == 1, "Sentinel knows the replica")
            yield Watched(sentinel)
        finally:
            process.kill()
            process.wait()


def _link_is_up(follower: redis.Redis) -> bool:
    found: Any = follower.info("replication")
    return bool(found["master_link_status"] == "up")


def _replicas(watcher: Any) -> int:
    found: Any = watcher.execute_command("SENTINEL", "REPLICAS", "main")
    return len(found)


def test_conn_4_failover_under_a_parked_consumer(watched: Watched, queue: str) -> None:
    """What is admitted after the failover is consumed, without anybody's hand."""
    make: Any = redis.sentinel.Sentinel
    sentinel = make([("127.0.0.1", watched.sentinel)])
    client = sentinel.master_for("main", retry=Retry(NoBackoff(), 0))
    served: list[Job] = []
    with ValkeyBackend(client) as backend:
        backend.enqueue(queue, "g", b"before")
        consumer = InThread(lambda: consume(backend, queue, 2, served))
        until(lambda: len(served) == 1, "consumed before the failover")
        watched.failover()
        enqueue_surely(backend, queue, b"after")
        consumer.result()
    assert [job.payload for job in served] == [b"before", b"after"]
    client.close()
    for watcher in sentinel.sentinels:
        watcher.close()


def test_conn_4_failover_under_parked_tasks(watched: Watched, queue: str) -> None:
    async def scenario() -> list[bytes]:
        make: Any = redis.asyncio.sentinel.Sentinel
        sentinel = make([("127.0.0.1", watched.sentinel)])
        client = sentinel.master_for("main", retry=Retry(NoBackoff(), 0))
        served: list[bytes] = []
        async with AsyncValkeyBackend(client) as backend:

            async def consumer() -> None:
                while len(served) < 2:
                    with suppress(ConnectionTrouble):
                        job = await backend.claim(queue, 10_000)
                        if isinstance(job, Empty):
                            await backend.park(queue, 60_000)
                            continue
                        served.append(job.payload)

            await backend.enqueue(queue, "g", b"before")
            running = asyncio.create_task(consumer())
            await asyncio.to_thread(watched.failover)
            async with asyncio.timeout(10):
                while True:
                    with suppress(ConnectionTrouble):
                        await backend.enqueue(queue, "g", b"after")
                        break
                await running
        await client.aclose()
        for watcher in sentinel.sentinels:
            await watcher.aclose()
        return served

    assert asyncio.run(scenario()) == [b"before", b"after"]
