"""Moving a slot of an embedded cluster from one primary to another, as slowly as a test likes."""

from __future__ import annotations

import time
from typing import Self

from echomq_core import ServerUnusable

from .cluster_nodes import EmbeddedNode
from .embedded_cluster import EmbeddedCluster

__all__ = ["SlotMove", "can_move_at_once", "move_at_once"]

_MIGRATE_MS = 5_000
_MOVED_WITHIN_S = 20.0
_POLL_S = 0.01


class SlotMove:
    """One slot on its way, key by key: `begin`, then `move` for each of `keys()`, then `finish`."""

    def __init__(self, cluster: EmbeddedCluster, slot: int, target: EmbeddedNode) -> None:
        self.slot = slot
        self.target = target
        self.source = cluster.primary_of(slot)
        self._cluster = cluster
        if target == self.source:
            raise ServerUnusable(f"slot {slot} is at {target.address} already")

    def begin(self) -> Self:
        """From now on the source answers ASK for keys that it does not have."""
        self._set_slot(self.target, "IMPORTING", self.source.id)
        self._set_slot(self.source, "MIGRATING", self.target.id)
        return self

    def keys(self) -> list[bytes]:
        """The keys that are still at the source, sorted."""
        found: list[bytes] = self._cluster.ask(
            self.source, "CLUSTER", "GETKEYSINSLOT", self.slot, 100_000
        )
        return sorted(found)

    def move(self, *keys: bytes) -> None:
        """Move these keys; those that are gone meanwhile are left out."""
        to, password = self.target, self._cluster.password
        where = to.host, to.port, "", 0, _MIGRATE_MS
        self._cluster.ask(self.source, "MIGRATE", *where, "AUTH", password, "KEYS", *keys)

    def finish(self) -> None:
        """Move what is left, and tell every primary where the slot is now."""
        while keys := self.keys():
            self.move(*keys)
        primaries = self._cluster.primaries()
        others = [node for node in primaries if node not in {self.target, self.source}]
        for node in (self.target, self.source, *others):
            self._set_slot(node, "NODE", self.target.id)

    def _set_slot(self, node: EmbeddedNode, state: str, other: str) -> None:
        self._cluster.ask(node, "CLUSTER", "SETSLOT", self.slot, state, other)


def can_move_at_once(cluster: EmbeddedCluster) -> bool:
    """Whether its servers know slot moves of one step."""
    known: list[object] = cluster.ask(cluster.nodes[0], "COMMAND", "INFO", "cluster|migrateslots")
    return bool(known) and known[0] is not None


def move_at_once(cluster: EmbeddedCluster, slot: int, target: EmbeddedNode) -> None:
    """Move a slot as one step: servers from Valkey 9 on. Returns when it is at the target."""
    source = cluster.primary_of(slot)
    cluster.ask(source, "CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target.id)
    end = time.monotonic() + _MOVED_WITHIN_S
    while cluster.primary_of(slot) != target:
        if time.monotonic() > end:
            raise ServerUnusable(f"slot {slot} did not reach {target.address} in time")
        time.sleep(_POLL_S)
