"""Clients that are handed in: which are safe, and what happens to them (CONN-1)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
import redis
import redis.asyncio
from echomq_valkey import AsyncValkeyBackend, EmbeddedServer, ValkeyBackend
from redis.backoff import NoBackoff
from redis.retry import Retry
from redis.sentinel import Sentinel

from echomq_core import InvalidArgument, NotApplied, UnsafeClient


def _once() -> Any:
    return Retry(NoBackoff(), 0)


def _sentinel() -> Any:
    return Sentinel([("localhost", 1)])  # type: ignore[no-untyped-call]


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (redis.Redis, "redis.Redis(..., retry=Retry(NoBackoff(), 0))"),
        (
            lambda: redis.Redis(retry=Retry(NoBackoff(), 1)),
            "redis.Redis(..., retry=Retry(NoBackoff(), 0))",
        ),
        (
            lambda: redis.Redis(retry=Retry(NoBackoff(), -1)),
            "redis.Redis(..., retry=Retry(NoBackoff(), 0))",
        ),
        (
            lambda: redis.Redis(
                connection_pool=redis.ConnectionPool(retry_on_error=[redis.TimeoutError])
            ),
            "redis.Redis(..., retry=Retry(NoBackoff(), 0))",
        ),
        (
            lambda: _sentinel().master_for("main", retry=Retry(NoBackoff(), 3)),
            "sentinel.master_for('main', retry=Retry(NoBackoff(), 0))",
        ),
    ],
)
def test_conn_1_client_that_may_repeat_is_refused_with_the_line_to_use(
    make: Callable[[], redis.Redis], line: str
) -> None:
    with pytest.raises(UnsafeClient) as caught:
        ValkeyBackend(make())
    text = str(caught.value)
    assert line in text
    assert "from redis.backoff import NoBackoff" in text
    assert "from redis.retry import Retry" in text


def test_conn_1_async_client_that_may_repeat_is_refused_with_the_line_to_use() -> None:
    with pytest.raises(UnsafeClient) as caught:
        AsyncValkeyBackend(redis.asyncio.Redis())
    assert "redis.asyncio.Redis(..., retry=Retry(NoBackoff(), 0))" in str(caught.value)


def test_conn_1_line_in_the_refusal_makes_a_client_that_is_taken() -> None:
    with pytest.raises(UnsafeClient) as caught:
        ValkeyBackend(redis.Redis())
    imports, line = str(caught.value).splitlines()[-2:]
    namespace: dict[str, Any] = {}
    exec(f"{imports}\nclient = {line.replace('..., ', '')}", namespace)
    ValkeyBackend(namespace["client"]).close()


@pytest.mark.parametrize(
    ("kind", "client"),
    [
        (ValkeyBackend, None),
        (ValkeyBackend, "valkey://localhost"),
        (ValkeyBackend, redis.asyncio.Redis(retry=_once())),
        (AsyncValkeyBackend, redis.Redis(retry=_once())),
        (ValkeyBackend, _sentinel().slave_for("main", retry=_once())),
        (AsyncValkeyBackend, redis.RedisCluster.__new__(redis.RedisCluster)),
    ],
)
def test_client_of_another_kind_is_refused(kind: Callable[[Any], object], client: object) -> None:
    with pytest.raises(InvalidArgument) as caught:
        kind(client)
    assert caught.value.argument == "client"


@pytest.mark.parametrize(
    "options",
    [
        {"wire_version": "3.0.0"},
        {"wire_version": "echomq:4.0.0"},
        {"wire_version": 3},
        {"wait_replicas": -1},
        {"wait_replicas": True},
        {"wait_ms": 0},
        {"wait_ms": 1.5},
    ],
)
def test_bad_option_is_refused_by_both_faces(options: dict[str, Any]) -> None:
    (argument,) = options
    for kind in (ValkeyBackend, AsyncValkeyBackend):
        with pytest.raises(InvalidArgument) as caught:
            kind.from_url("valkey://localhost", **options)
        assert caught.value.argument == argument


def test_making_a_backend_does_no_io() -> None:
    """Nobody listens on this port, and nobody notices before the first verb."""
    backend = ValkeyBackend.from_url("valkey://127.0.0.1:1")
    with pytest.raises(NotApplied):
        backend.depth("q", "g")
    backend.close()


def test_client_that_was_handed_in_is_not_closed(server: EmbeddedServer, queue: str) -> None:
    path = str(server.socket_path)
    client = redis.Redis(unix_socket_path=path, retry=_once(), decode_responses=True)
    connection = client.client_id()
    with ValkeyBackend(client) as backend:
        payload = "é".encode("latin-1")
        backend.enqueue(queue, "é", payload)
        job = backend.claim(queue, 1_000)
        assert (job.group, job.payload) == ("é", payload)  # type: ignore[union-attr]
    assert client.client_id() == connection
    client.close()


async def _use_and_close(path: str, queue: str) -> None:
    client = redis.asyncio.Redis(unix_socket_path=path, retry=_once(), decode_responses=True)
    async with AsyncValkeyBackend(client) as backend:
        await backend.enqueue(queue, "g", b"\xff")
        assert (await backend.claim_many(queue, 1_000, 1))[0].payload == b"\xff"  # type: ignore[index]
    assert await client.ping()
    await client.aclose()


def test_async_client_that_was_handed_in_is_not_closed(server: EmbeddedServer, queue: str) -> None:
    asyncio.run(_use_and_close(str(server.socket_path), queue))
