"""A back door to the keys of a cluster: each command goes to the node that serves its key."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

from echomq_valkey import EmbeddedCluster
from echomq_valkey.cluster_nodes import EmbeddedNode

from echomq_core import Keyspace
from echomq_core.keyspace import slot_of

__all__ = ["Door"]

_numbers = itertools.count()


class Door:
    """What is where, as it was when the door was made."""

    def __init__(self, cluster: EmbeddedCluster) -> None:
        self._cluster = cluster
        self._owners = cluster.owners()

    def owner(self, key: str | bytes) -> EmbeddedNode:
        """The node that serves a key."""
        node = self._owners[slot_of(key)]
        assert node is not None
        return node

    def queue_at(self, node: EmbeddedNode) -> str:
        """The name of a new queue that this node serves."""
        while True:
            queue = f"q{next(_numbers)}"
            if self.owner(Keyspace(queue).base) == node:
                return queue

    def ask(self, command: str, key: str | bytes, *args: Any) -> Any:
        return self._cluster.ask(self.owner(key), command, key, *args)

    def zadd(self, key: str, entries: Mapping[str, int]) -> None:
        self.ask("ZADD", key, *(part for name, score in entries.items() for part in (score, name)))

    def delete(self, *keys: str | bytes) -> None:
        for key in keys:
            self.ask("DEL", key)

    def keys_of(self, queue: str) -> list[bytes]:
        """The keys on the slot of a queue, sorted."""
        node, slot = self.owner(Keyspace(queue).base), Keyspace(queue).slot()
        found: list[bytes] = self._cluster.ask(node, "CLUSTER", "GETKEYSINSLOT", slot, 100_000)
        return sorted(found)

    def keys_at(self, node: EmbeddedNode) -> Iterator[bytes]:
        """Every key that a node holds."""
        cursor = b"0"
        while True:
            cursor, keys = self._cluster.ask(node, "SCAN", cursor, "COUNT", 10_000)
            yield from keys
            if cursor == b"0":
                return
