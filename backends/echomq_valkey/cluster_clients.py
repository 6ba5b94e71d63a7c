"""How the nodes of a cluster are reached: by a URL, or as a redis-py cluster client reaches them.

The client that is handed in gives addresses and settings. Connections to its nodes are ours, since
its own way of sending repeats commands and cannot be held to one connection (CONN-1).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

import redis
import redis.asyncio
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import InvalidArgument, UnsafeClient

from .clients import instead, make_async_client, make_sync_client
from .cluster_urls import ClusterUrl
from .topology import Node, Remap
from .urls import ServerUrl

__all__ = ["Reach", "reach_by_url", "reach_by_url_async", "reach_of", "reach_of_async"]

C = TypeVar("C")

_NOT_OF_A_CONNECTION = frozenset(
    {"connection_class", "max_connections", "response_callbacks", "host", "port", "retry"}
)


@dataclass(frozen=True, slots=True)
class Reach(Generic[C]):
    """`seeds`: the nodes to begin with. `client`: makes the client of one node, without I/O."""

    seeds: tuple[Node, ...]
    client: Callable[[Node], C]
    remap: Remap


def _as_it_is(node: Node) -> Node:
    return node


def reach_by_url(url: ClusterUrl) -> Reach[redis.Redis]:
    return Reach(_seeds(url), lambda node: make_sync_client(_server(url, node)), _as_it_is)


def reach_by_url_async(url: ClusterUrl) -> Reach[redis.asyncio.Redis]:
    return Reach(_seeds(url), lambda node: make_async_client(_server(url, node)), _as_it_is)


def _seeds(url: ClusterUrl) -> tuple[Node, ...]:
    return tuple(
        dict.fromkeys(
            Node(server.options["host"], server.options["port"]) for server in url.servers
        )
    )


def _server(url: ClusterUrl, node: Node) -> ServerUrl:
    first = url.servers[0]
    return replace(first, options={**first.options, "host": node.host, "port": node.port})


def reach_of(client: redis.RedisCluster) -> Reach[redis.Redis]:
    """Raises `UnsafeClient` and `InvalidArgument`."""
    _check(client, "redis")
    manager: Any = client.nodes_manager

    def node_client(node: Node) -> redis.Redis:
        made: redis.Redis = manager.create_redis_node(
            node.host, node.port, **manager.connection_kwargs
        )
        return made

    return Reach(_known(client), node_client, _remap(manager))


def reach_of_async(client: redis.asyncio.RedisCluster) -> Reach[redis.asyncio.Redis]:
    """Raises `UnsafeClient` and `InvalidArgument`."""
    _check(client, "redis.asyncio")
    given: dict[str, Any] = client.connection_kwargs
    kwargs = {name: value for name, value in given.items() if name not in _NOT_OF_A_CONNECTION}

    def node_client(node: Node) -> redis.asyncio.Redis:
        pool = redis.asyncio.ConnectionPool(
            connection_class=given["connection_class"],
            max_connections=given["max_connections"],
            host=node.host,
            port=node.port,
            retry=Retry(NoBackoff(), 0),
            **kwargs,
        )
        return redis.asyncio.Redis(connection_pool=pool)

    return Reach(_known(client), node_client, _remap(client.nodes_manager))


def _known(client: Any) -> tuple[Node, ...]:
    manager = client.nodes_manager
    nodes = (*manager.nodes_cache.values(), *manager.startup_nodes.values())
    return tuple(dict.fromkeys(Node(str(node.host), int(node.port)) for node in nodes))


def _remap(manager: Any) -> Remap:
    given: Callable[[tuple[str, int]], tuple[str, int]] | None = manager.address_remap
    if given is None:
        return _as_it_is
    return lambda node: Node(*given((node.host, node.port)))


def _check(client: Any, module: str) -> None:
    line = f"{module}.RedisCluster(..., retry=Retry(NoBackoff(), 0))"
    if client.retry.get_retries() != 0:
        raise UnsafeClient(instead(module, line, "", "cluster_error_retry_attempts"))
    if client.read_from_replicas or client.load_balancing_strategy is not None:
        raise InvalidArgument(
            "client",
            type(client),
            "no verb reads from a replica",
            "Leave out read_from_replicas and load_balancing_strategy",
        )
    if getattr(client.nodes_manager, "_cache", None) is not None:
        raise UnsafeClient(instead(module, line, "answers from a cache of its own and ", "cache"))
