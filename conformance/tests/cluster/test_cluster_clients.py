"""URLs of clusters, and cluster clients that are handed in (CONN-1)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
import redis
import redis.asyncio
from echomq_valkey import AsyncValkeyBackend, EmbeddedCluster, ValkeyBackend
from echomq_valkey.cluster_urls import is_cluster_url, parse_cluster_url
from redis.backoff import NoBackoff
from redis.cluster import LoadBalancingStrategy
from redis.retry import Retry

from echomq_core import InvalidArgument, NotApplied, UnsafeClient


def once() -> Any:
    return Retry(NoBackoff(), 0)


def test_conn_1_cluster_client_that_may_repeat_is_refused_with_the_line_to_use(
    cluster: EmbeddedCluster,
) -> None:
    node = cluster.nodes[0]
    where: dict[str, Any] = {"host": node.host, "port": node.port, "password": cluster.password}
    with redis.RedisCluster(**where) as client, pytest.raises(UnsafeClient) as caught:
        ValkeyBackend(client)
    imports, line = str(caught.value).splitlines()[-2:]
    assert "redis.RedisCluster(..., retry=Retry(NoBackoff(), 0))" in line
    namespace: dict[str, Any] = {"where": where}
    exec(f"{imports}\nclient = {line.replace('...', '**where')}", namespace)
    with namespace["client"] as safe, ValkeyBackend(safe) as backend:
        assert backend.depth("handed", "g") == 0


def test_conn_1_async_cluster_client_that_may_repeat_is_refused() -> None:
    with pytest.raises(UnsafeClient, match=r"redis\.asyncio\.RedisCluster\(\.\.\., retry"):
        AsyncValkeyBackend(redis.asyncio.RedisCluster("localhost", 1))


@pytest.mark.parametrize("decodes", [True, False])
@pytest.mark.parametrize("protocol", [2, 3])
def test_handed_in_client_serves_and_is_not_closed(
    cluster: EmbeddedCluster, decodes: bool, protocol: int
) -> None:
    node = cluster.nodes[-1]
    where: dict[str, Any] = {
        "host": node.host,
        "port": node.port,
        "password": cluster.password,
        "decode_responses": decodes,
        "protocol": protocol,
        "retry": once(),
    }
    queue = f"handed-{decodes}-{protocol}"
    with redis.RedisCluster(**where) as client:
        with ValkeyBackend(client) as backend:
            backend.enqueue(queue, "g", b"\xff")
        assert client.ping()
        with pytest.raises(NotApplied, match="closed"):
            backend.depth(queue, "g")

    async def awaited() -> bytes:
        async with redis.asyncio.RedisCluster(**where) as client:
            async with AsyncValkeyBackend(client) as backend:
                job = await backend.claim(queue, 1_000)
            assert await client.ping()
            assert job
            return job.payload

    assert asyncio.run(awaited()) == b"\xff"


def test_client_that_reads_from_replicas_is_refused(cluster: EmbeddedCluster) -> None:
    node = cluster.nodes[0]
    with (
        redis.RedisCluster(
            host=node.host,
            port=node.port,
            password=cluster.password,
            retry=once(),
            load_balancing_strategy=LoadBalancingStrategy.ROUND_ROBIN,
        ) as client,
        pytest.raises(InvalidArgument, match="replica"),
    ):
        ValkeyBackend(client)


def test_faces_do_not_take_the_other_s_cluster_client() -> None:
    with pytest.raises(InvalidArgument, match="Use AsyncValkeyBackend"):
        ValkeyBackend(redis.asyncio.RedisCluster("localhost", 1, retry=once()))  # type: ignore[arg-type]  # meant


def test_url_names_nodes_that_are_reached_in_the_same_way() -> None:
    url = parse_cluster_url("valkeys-cluster://me:p%40ss@a:1,[::1]:2,c?protocol=3&ssl_ca_path=/x")
    addresses = [(server.options["host"], server.options["port"]) for server in url.servers]
    assert addresses == [("a", 1), ("::1", 2), ("c", 6379)]
    for server in url.servers:
        assert (server.transport, server.options["protocol"]) == ("tls", 3)
        assert (server.options["username"], server.options["password"]) == ("me", "p@ss")


@pytest.mark.parametrize(
    "url",
    [
        "valkey-cluster://a:1,,b:2",
        "valkey-cluster://a:1,b:2/1",
        "valkey-cluster://a:1/0",
        "valkey-cluster://a:1?db=0",
        "valkey-cluster://a:x",
        "valkey-cluster://a?ssl_ca_path=/x",
        "valkey-cluster://u:secret@a:1,b:2?nonsense=1",
    ],
)
def test_wrong_cluster_urls_are_refused_and_hide_the_password(url: str) -> None:
    for kind in (ValkeyBackend, AsyncValkeyBackend):
        with pytest.raises(InvalidArgument) as caught:
            kind.from_url(url)
        assert "secret" not in str(caught.value)


def test_cluster_urls_are_told_by_their_scheme() -> None:
    assert is_cluster_url("VALKEY-CLUSTER://h")
    assert not is_cluster_url("valkey://h,i")


def test_making_a_cluster_backend_does_no_io() -> None:
    ValkeyBackend.from_url("valkey-cluster://203.0.113.1:1").close()
