"""From a client that is handed in, or a URL, to the connections of a backend. Does no I/O."""

from __future__ import annotations

import redis
import redis.asyncio

from .clients import check_async_client, check_sync_client, make_async_client, make_sync_client
from .cluster_clients import reach_by_url, reach_by_url_async, reach_of, reach_of_async
from .cluster_connections import ClusterConnections
from .cluster_connections_async import AsyncClusterConnections
from .cluster_urls import is_cluster_url, parse_cluster_url
from .connections import Connections
from .connections_async import AsyncConnections
from .urls import parse_url

__all__ = ["async_at", "async_to", "sync_at", "sync_to"]


def sync_to(client: object) -> Connections | ClusterConnections:
    """Raises `UnsafeClient`, and `InvalidArgument` for what is no sync client."""
    if isinstance(client, redis.RedisCluster):
        return ClusterConnections(reach_of(client))
    return Connections(check_sync_client(client), owned=False)


def async_to(client: object) -> AsyncConnections | AsyncClusterConnections:
    """Raises `UnsafeClient`, and `InvalidArgument` for what is no async client."""
    if isinstance(client, redis.asyncio.RedisCluster):
        return AsyncClusterConnections(reach_of_async(client))
    return AsyncConnections(check_async_client(client), owned=False)


def sync_at(url: str) -> Connections | ClusterConnections:
    """Raises `InvalidArgument`."""
    if is_cluster_url(url):
        return ClusterConnections(reach_by_url(parse_cluster_url(url)))
    return Connections(make_sync_client(parse_url(url)), owned=True)


def async_at(url: str) -> AsyncConnections | AsyncClusterConnections:
    """Raises `InvalidArgument`."""
    if is_cluster_url(url):
        return AsyncClusterConnections(reach_by_url_async(parse_cluster_url(url)))
    return AsyncConnections(make_async_client(parse_url(url)), owned=True)
