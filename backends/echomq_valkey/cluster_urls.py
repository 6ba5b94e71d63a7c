"""`valkey-cluster://` URLs: several servers that are reached in the same way. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from echomq_core import InvalidArgument

from .urls import ServerUrl, parse_url

__all__ = ["ClusterUrl", "is_cluster_url", "parse_cluster_url"]

_SERVER_SCHEMES = {"valkey-cluster": "valkey", "valkeys-cluster": "valkeys"}


@dataclass(frozen=True, slots=True)
class ClusterUrl:
    """The nodes to begin with, one at least; the others are learned from them."""

    servers: tuple[ServerUrl, ...]


def is_cluster_url(url: object) -> bool:
    """Whether it has a scheme of clusters."""
    return isinstance(url, str) and url.partition("://")[0].lower() in _SERVER_SCHEMES


def parse_cluster_url(url: str) -> ClusterUrl:
    """What `valkey-cluster://user:password@host:port,host:port?option=value` asks for.

    `valkeys-cluster://` is the same over TLS. The options are those of one server, but a cluster
    has no numbered databases. Raises `InvalidArgument`, in which the password is hidden.
    """
    scheme, _, rest = url.partition("://")
    netloc = rest.split("/", 1)[0].split("?", 1)[0].split("#", 1)[0]
    tail = rest[len(netloc) :]
    userinfo, at, addresses = netloc.rpartition("@")
    server = _SERVER_SCHEMES[scheme.lower()]
    servers = []
    for address in addresses.split(","):
        if "," in addresses and not urlsplit(f"//{address}").hostname:
            raise InvalidArgument(
                "url",
                f"{scheme}://{addresses}",
                "the nodes of a cluster are host:port, with commas between them",
                "For example valkey-cluster://10.0.0.1:6379,10.0.0.2:6379",
            )
        parsed = parse_url(f"{server}://{userinfo}{at}{address}{tail}")
        if "db" in parsed.options:
            raise InvalidArgument(
                "url", f"{scheme}://{addresses}", "a cluster has one database", "Leave it out"
            )
        servers.append(parsed)
    return ClusterUrl(tuple(servers))
