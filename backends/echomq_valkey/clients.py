"""redis-py clients: the ones that we make, and what we demand of one that is handed in (CONN-1)."""

from __future__ import annotations

from inspect import signature
from typing import Any

import redis
import redis.asyncio
import redis.asyncio.connection
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import InvalidArgument, UnsafeClient

from .urls import ServerUrl

__all__ = [
    "check_async_client",
    "check_sync_client",
    "instead",
    "make_async_client",
    "make_sync_client",
    "own_pool",
]

_SYNC_CONNECTIONS: dict[str, type[Any]] = {
    "tcp": redis.Connection,
    "tls": redis.SSLConnection,
    "unix": redis.UnixDomainSocketConnection,
}
_ASYNC_CONNECTIONS: dict[str, type[Any]] = {
    "tcp": redis.asyncio.Connection,
    "tls": redis.asyncio.SSLConnection,
    "unix": redis.asyncio.connection.UnixDomainSocketConnection,
}


def make_sync_client(url: ServerUrl) -> redis.Redis:
    """A client that never repeats a command. Does no I/O."""
    return redis.Redis(
        connection_pool=redis.ConnectionPool(
            connection_class=_SYNC_CONNECTIONS[url.transport],
            max_connections=url.max_connections,
            **_quiet(redis.ConnectionPool, url.options),
        )
    )


def make_async_client(url: ServerUrl) -> redis.asyncio.Redis:
    """`make_sync_client`, for asyncio."""
    return redis.asyncio.Redis(
        connection_pool=redis.asyncio.ConnectionPool(
            connection_class=_ASYNC_CONNECTIONS[url.transport],
            max_connections=url.max_connections,
            **_quiet(redis.asyncio.ConnectionPool, url.options),
        )
    )


def own_pool(kind: type[Any], pool: Any, *, within_s: float | None = None) -> Any:
    """Another pool to the same server as `pool`, without a bound on its connections.

    `within_s`: the most that connecting, and waiting for a reply, may take each.
    """
    kwargs = {
        name: value
        for name, value in pool.connection_kwargs.items()
        if not name.startswith(("maint_notifications", "oss_cluster_maint", "orig_"))
    }
    if within_s is not None:
        for name in ("socket_timeout", "socket_connect_timeout"):
            kwargs[name] = min(kwargs.get(name) or within_s, within_s)
    return kind(
        connection_class=pool.connection_class, max_connections=2**31, **_quiet(kind, kwargs)
    )


def _quiet(kind: type[Any], kwargs: dict[str, Any]) -> dict[str, Any]:
    quiet = dict(kwargs, retry=Retry(NoBackoff(), 0), decode_responses=False)
    # Where the client knows maintenance notices it subscribes to them unless told not to.
    if "maint_notifications_config" in signature(kind).parameters:
        from redis.maint_notifications import MaintNotificationsConfig

        quiet["maint_notifications_config"] = MaintNotificationsConfig(enabled=False)
    return quiet


def check_sync_client(client: object) -> redis.Redis:
    """The client, if it is a sync standalone or Sentinel one that repeats nothing."""
    if not isinstance(client, redis.Redis):
        asynchronous = isinstance(client, redis.asyncio.Redis | redis.asyncio.RedisCluster)
        wanted = "AsyncValkeyBackend" if asynchronous else "redis.Redis or redis.RedisCluster"
        raise InvalidArgument(
            "client",
            type(client),
            "ValkeyBackend takes a redis.Redis or redis.RedisCluster client",
            f"Use {wanted}",
        )
    _check_pool(client.connection_pool, "redis")
    return client


def check_async_client(client: object) -> redis.asyncio.Redis:
    """The client, if it is an async standalone or Sentinel one that repeats nothing."""
    if not isinstance(client, redis.asyncio.Redis):
        synchronous = isinstance(client, redis.Redis | redis.RedisCluster)
        wanted = "ValkeyBackend" if synchronous else "redis.asyncio.Redis or RedisCluster"
        raise InvalidArgument(
            "client",
            type(client),
            "AsyncValkeyBackend takes a redis.asyncio.Redis or RedisCluster client",
            f"Use {wanted}",
        )
    _check_pool(client.connection_pool, "redis.asyncio")
    return client


def _check_pool(pool: Any, module: str) -> None:
    if not getattr(pool, "is_master", True):
        raise InvalidArgument(
            "client", type(pool), "a client of Sentinel replicas cannot write", "Use master_for"
        )
    if _may_repeat(pool.connection_kwargs):
        sentinel = hasattr(pool, "sentinel_manager")
        line = (
            f"sentinel.master_for({pool.service_name!r}, retry=Retry(NoBackoff(), 0))"
            if sentinel
            else f"{module}.Redis(..., retry=Retry(NoBackoff(), 0))"
        )
        raise UnsafeClient(instead(module, line, "", "retry_on_timeout and retry_on_error"))
    if getattr(pool, "cache", None) is not None:
        line = f"{module}.Redis(..., retry=Retry(NoBackoff(), 0))"
        raise UnsafeClient(instead(module, line, "answers from a cache of its own and ", "cache"))


def _may_repeat(kwargs: dict[str, Any]) -> bool:
    retry = kwargs.get("retry")
    return bool(
        (retry is not None and retry.get_retries() != 0)
        or (retry is None and (kwargs.get("retry_on_timeout") or kwargs.get("retry_on_error")))
    )


def instead(module: str, line: str, also: str, without: str) -> str:
    """The text of an `UnsafeClient`: what is wrong, and the lines to use."""
    return (
        f"this client {also}may send a command again after its reply was lost, so that a claim or "
        f"a settle runs twice (CONN-1). Use instead, without {without}:\n"
        f"from redis.backoff import NoBackoff; from redis.retry import Retry; import {module}\n"
        f"{line}"
    )
