"""Who serves which slot of a cluster: what its nodes answer, as a value. Pure."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from echomq_core.keyspace import SLOTS

__all__ = ["CLUSTER_SLOTS", "Node", "Remap", "Topology", "candidates", "read_topology"]

CLUSTER_SLOTS = (b"CLUSTER", b"SLOTS")
"""The question. Every server with clusters knows it, and `+cluster|slots` allows it."""


@dataclass(frozen=True, slots=True)
class Node:
    """Where a node listens."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


Remap = Callable[[Node], Node]
"""From the address that a node gives of another to the one at which we can reach it."""


@dataclass(frozen=True, slots=True)
class Topology:
    """The primary of each slot (`None`: nobody's), and all nodes, replicas too."""

    owners: tuple[Node | None, ...]
    nodes: frozenset[Node]

    def moved(self, slot: int, node: Node) -> Topology:
        """The same with one slot at another node."""
        if self.owners[slot] == node:
            return self
        owners = (*self.owners[:slot], node, *self.owners[slot + 1 :])
        return Topology(owners, self.nodes | {node})


def read_topology(reply: Any, asked: Node, remap: Remap) -> Topology:
    """A reply to CLUSTER SLOTS. A node without an address is the one that was asked."""
    owners: list[Node | None] = [None] * SLOTS
    nodes: set[Node] = set()
    for low, high, *served in reply:
        found = [_node(entry, asked, remap) for entry in served]
        nodes.update(found)
        if found:
            owners[low : high + 1] = [found[0]] * (high + 1 - low)
    return Topology(tuple(owners), frozenset(nodes))


def _node(entry: Any, asked: Node, remap: Remap) -> Node:
    raw_host, port = entry[0], int(entry[1])
    host = (raw_host or b"").decode()
    return Node(asked.host, port) if host in {"", "?"} else remap(Node(host, port))


def candidates(
    topology: Topology | None, seeds: tuple[Node, ...], doubted: Node | None
) -> list[Node]:
    """Whom to ask for the topology, in random order: nodes that are known, then the seeds, and last
    the one that made us ask."""
    known = list(topology.nodes if topology else ())
    random.shuffle(known)
    rest = [seed for seed in seeds if seed not in known]
    random.shuffle(rest)
    return sorted((*known, *rest), key=lambda node: node == doubted)
