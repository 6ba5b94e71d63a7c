"""The nodes of an embedded cluster: where they listen, and the table that each of them keeps."""

from __future__ import annotations

import random
import socket
from collections.abc import Iterable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise

from echomq_core import ServerUnusable

__all__ = [
    "SLOTS",
    "EmbeddedNode",
    "TableLine",
    "free_ports",
    "node_table",
    "parse_info",
    "parse_table",
    "serve_all_once",
    "slot_ranges",
]

HOST = "127.0.0.1"
SLOTS = 16_384
# Below the ports that systems give to outgoing connections, so that a node that was killed finds
# its own port free when it comes back.
LOWEST_PORT, HIGHEST_PORT = 11_000, 31_000
_MOST_DRAWS = 2_000


@dataclass(frozen=True, slots=True)
class EmbeddedNode:
    """One server: `id` is its name among the nodes, `bus_port` where they talk to each other."""

    name: str
    id: str
    port: int
    bus_port: int

    @property
    def host(self) -> str:
        return HOST

    @property
    def address(self) -> str:
        """`host:port`, as a URL has it."""
        return f"{HOST}:{self.port}"


@dataclass(frozen=True, slots=True)
class TableLine:
    """What a node says of one node. `follows`: the id of its primary, or empty. `linked`: it has a
    connection to it, or is it."""

    id: str
    flags: frozenset[str]
    follows: str
    epoch: int
    ranges: tuple[tuple[int, int], ...]
    linked: bool

    @property
    def mine(self) -> bool:
        """Whether it is the line of the node that was asked."""
        return "myself" in self.flags


def free_ports(count: int) -> tuple[int, ...]:
    """Different loopback ports on which nobody listens now."""
    found: list[int] = []
    with ExitStack() as held:
        for _ in range(_MOST_DRAWS):
            if len(found) == count:
                return tuple(found)
            line = held.enter_context(socket.socket())
            port = random.randrange(LOWEST_PORT, HIGHEST_PORT)
            with suppress(OSError):
                line.bind((HOST, port))
                found.append(port)
    raise ServerUnusable(f"found no {count} free loopback ports for an embedded cluster")


def slot_ranges(primaries: int) -> tuple[tuple[int, int], ...]:
    """All slots in as many even parts."""
    cuts = [SLOTS * index // primaries for index in range(primaries + 1)]
    return tuple((low, high - 1) for low, high in pairwise(cuts))


def node_table(
    nodes: Sequence[EmbeddedNode], ranges: Sequence[tuple[int, int]], mine: EmbeddedNode
) -> str:
    """The file of a cluster that stands already, so that no node has to be introduced to another.

    The first nodes are primaries, one for each range; the others follow them in turn.
    """
    lines = []
    for index, node in enumerate(nodes):
        where = f"{node.id} {HOST}:{node.port}@{node.bus_port}"
        myself = "myself," if node is mine else ""
        of = index % len(ranges)
        if index < len(ranges):
            low, high = ranges[index]
            lines.append(f"{where} {myself}master - 0 0 {of + 1} connected {low}-{high}")
        else:
            lines.append(f"{where} {myself}slave {nodes[of].id} 0 0 {of + 1} connected")
    lines.append(f"vars currentEpoch {len(ranges)} lastVoteEpoch 0")
    return "\n".join(lines) + "\n"


def parse_table(reply: bytes) -> tuple[TableLine, ...]:
    """A reply to CLUSTER NODES; slots that are on the move are left out of the ranges."""
    lines = []
    for line in reply.decode().splitlines():
        node_id, _, flags, follows, _, _, epoch, link, *slots = line.split()
        ranges = []
        for part in slots:
            if not part.startswith("["):
                low, _, high = part.partition("-")
                ranges.append((int(low), int(high or low)))
        primary = "" if follows == "-" else follows
        found = frozenset(flags.split(","))
        lines.append(
            TableLine(
                id=node_id,
                flags=found,
                follows=primary,
                epoch=int(epoch),
                ranges=tuple(ranges),
                linked=link == "connected" and not found & {"fail", "fail?", "handshake"},
            )
        )
    return tuple(lines)


def serve_all_once(lines: Iterable[TableLine]) -> bool:
    """Whether the nodes, by what each says of itself, serve every slot, and no two the same."""
    end = 0
    for low, high in sorted(part for line in lines for part in line.ranges):
        if low != end:
            return False
        end = high + 1
    return end == SLOTS


def parse_info(reply: bytes) -> dict[str, str]:
    """A reply to INFO or CLUSTER INFO as its fields."""
    lines = (line.partition(":") for line in reply.decode().splitlines())
    return {name: value for name, colon, value in lines if colon}
