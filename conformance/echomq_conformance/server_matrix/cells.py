"""What the matrix is made of: servers by name, protocols, topologies, and the target of each cell."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ..report import Report
from ..sentinel_servers import private_sentinel
from ..server_targets import StartServers, server_target
from ..target import Target, TargetError
from ..targets import binary_8_1, private_cluster, private_server

__all__ = ["PROTOCOLS", "TOPOLOGIES", "Cell", "Place", "Server", "find_servers", "places"]

PROTOCOLS = (2, 3)
TOPOLOGIES = ("one server", "Sentinel", "cluster")

VARIABLE = "ECHOMQ_SERVER_"
_NOT_A_NAME = "BINARY"
"""`ECHOMQ_SERVER_BINARY` is the default server of the backend, not one more."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server by name; without a `binary` it is not there, and `missing` says why."""

    name: str
    binary: Path | None
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one run of the kit takes place."""

    server: Server
    protocol: int
    topology: str

    def target(self, *, asynchronous: bool) -> Target:
        """The target there."""
        claims = frozenset({"cluster"}) if self.topology == "cluster" else frozenset[str]()
        face = " async" if asynchronous else ""
        name = f"{self.server.name} RESP{self.protocol} {self.topology}{face}"
        return server_target(name, self._start(), asynchronous=asynchronous, claims=claims)

    def _start(self) -> StartServers:
        binary = self.server.binary
        option = f"?protocol={self.protocol}"
        if self.topology == "Sentinel":
            return partial(private_sentinel, binary, self.protocol)
        start = private_cluster if self.topology == "cluster" else private_server
        return partial(start, binary, option)


@dataclass(frozen=True, slots=True)
class Cell:
    """A place and what the kit found there; without `reports` it was not run, for a reason."""

    place: Place
    reports: tuple[Report, ...] = ()
    reason: str = ""


def places(servers: list[Server]) -> Iterator[Place]:
    """Every place, server by server."""
    for server in servers:
        for protocol in PROTOCOLS:
            for topology in TOPOLOGIES:
                yield Place(server, protocol, topology)


def find_servers(environment: Mapping[str, str]) -> list[Server]:
    """The servers that the matrix always names, and those of `ECHOMQ_SERVER_<NAME>`."""
    found = [
        _server("Valkey 9.1", _binary_9_1),
        _server("Valkey 8.1", binary_8_1),
        _server("Redis 7.0", partial(_on_path, "redis-server")),
    ]
    for variable, value in sorted(environment.items()):
        name = variable.removeprefix(VARIABLE)
        if variable.startswith(VARIABLE) and name and name != _NOT_A_NAME:
            found.append(_server(name, partial(_on_path, value)))
    return found


def _server(name: str, find: Callable[[], Path]) -> Server:
    try:
        return Server(name, find())
    except TargetError as missing:
        return Server(name, None, str(missing))


def _binary_9_1() -> Path:
    from echomq_valkey.embedded import find_binary

    from echomq_core import MissingExtra, ServerUnusable

    try:
        return find_binary()
    except (MissingExtra, ServerUnusable) as missing:
        raise TargetError(str(missing)) from missing


def _on_path(name: str) -> Path:
    found = shutil.which(name)
    if found is None:
        raise TargetError(f"{name} is not on this machine")
    return Path(found)
