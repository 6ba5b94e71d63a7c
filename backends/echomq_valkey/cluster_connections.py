"""The sync edge of a cluster: a gate and pools for each node, and the map of its slots (CONN-8)."""

from __future__ import annotations

import threading
from typing import NamedTuple, TypeVar

import redis

from .calls import Call
from .cluster_clients import Reach
from .connections import CLOSED, Connections, Line
from .conversation import Replicas, converse
from .exchange import Answered, ErrorReply, Incoming, Lost, Pause, Request
from .forking import renew_in_child
from .routing import Redirect, Routed, doubts, routed, slot_of_call
from .topology import CLUSTER_SLOTS, Node, Topology, candidates, read_topology

__all__ = ["ASK_WITHIN_S", "ClusterConnections", "Road", "no_owner", "no_topology"]

A = TypeVar("A")

ASK_WITHIN_S = 2.0
"""How long one node is given to say who serves what."""


class Road(NamedTuple):
    """The node of a request, and the topology that named it."""

    node: Node
    topology: Topology | None


class ClusterConnections:
    """Sends each call to the primary of its slot; asks the nodes again who that is when in doubt."""

    def __init__(self, reach: Reach[redis.Redis]) -> None:
        self._reach = reach
        self._nodes: dict[Node, Connections] = {}
        self._topology: Topology | None = None
        self._doubted: Node | None = None
        self._tries = 0
        self._refusal: Incoming | None = None
        self._closing = threading.Event()
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """Called in a forked child: locks that nobody holds there."""
        self._making = threading.Lock()
        self._asking = threading.Lock()

    @property
    def closed(self) -> bool:
        return self._closing.is_set()

    def close(self) -> None:
        """Wake what is parked, close what is idle; connections in use close when they are done."""
        with self._making:
            self._closing.set()
            nodes = tuple(self._nodes.values())
        for connections in nodes:
            connections.close()

    def answer(self, call: Call[A], replicas: Replicas | None = None) -> A:
        """Carry out one call; `replicas` that must have it, if it writes."""
        return self._carry(routed(converse(call, replicas=replicas)), slot_of_call(call))

    def _carry(self, conversation: Routed[A], slot: int) -> A:
        """Run a conversation to its end; holds at most one connection, never across a pause."""
        line: Line | None = None
        road: Road | None = None
        taken: Line | Incoming = CLOSED
        elsewhere: Node | None = None
        incoming: Incoming | None = None
        try:
            while True:
                try:
                    step = conversation.send(incoming)
                except StopIteration as done:
                    answer: A = done.value
                    return answer
                if isinstance(step, Request):
                    if line is None:
                        road, taken = self._take(slot, elsewhere, parks=step.parks)
                    if isinstance(taken, Line):
                        line = taken
                        incoming = line.exchange(step)
                    else:
                        incoming = taken
                    if doubts(incoming):
                        self._doubt(road)
                    if isinstance(incoming, Lost):
                        self._leave(line)
                        line = None
                        incoming = CLOSED if step.parks and self.closed else incoming
                    continue
                incoming = None
                elsewhere = self._follow(step, road) if isinstance(step, Redirect) else None
                self._leave(line, drop=isinstance(step, Pause))
                line = None
                if isinstance(step, Pause):
                    self._closing.wait(step.seconds)
        finally:
            self._leave(line)

    def _leave(self, line: Line | None, *, drop: bool = False) -> None:
        """Give a connection back, if there is one; `drop`: disconnected."""
        if line is not None:
            if drop:
                line.drop()
            line.give_back()

    # --- who serves what ----------------------------------------------------------------------

    def _take(
        self, slot: int, elsewhere: Node | None, *, parks: bool
    ) -> tuple[Road | None, Line | Incoming]:
        """A connection to the node of a slot, or why there is none; nothing was sent then."""
        if elsewhere is not None:
            return Road(elsewhere, self._topology), self._take_at(elsewhere, parks)
        road = self._road(slot)
        if not isinstance(road, Road):
            return None, road
        taken = self._take_at(road.node, parks)
        if isinstance(taken, Lost) and not self.closed:
            # Nothing was sent, so whoever serves the slot by now may be given the call.
            self._doubt(road)
            other = self._road(slot)
            if isinstance(other, Road) and other.node != road.node:
                return other, self._take_at(other.node, parks)
        return road, taken

    def _road(self, slot: int) -> Road | Incoming:
        if self._topology is None or self._doubted is not None:
            refused = self._learn()
            if self._topology is None:
                return refused or CLOSED
        topology = self._topology
        owner = topology.owners[slot]
        if owner is None:
            self._doubted = self._doubted or next(iter(topology.nodes))
            return no_owner(slot)
        return Road(owner, topology)

    def _doubt(self, road: Road | None) -> None:
        """Have the nodes asked again, unless somebody did so since this road was taken."""
        if road is not None and self._topology is road.topology:
            self._doubted = road.node

    def _follow(self, redirect: Redirect, road: Road | None) -> Node | None:
        """Note where a slot went; the node to ask for this once, if it has not gone for good."""
        if road is None or self._topology is None:
            return None
        node = Node(redirect.host or road.node.host, redirect.port)
        if redirect.host:
            node = self._reach.remap(node)
        if not redirect.lasting:
            return node
        self._topology = self._topology.moved(redirect.slot, node)
        return None

    def _learn(self) -> Incoming | None:
        """Ask one node after the other. While one thread does, the others use what is known; where
        nothing is known yet they wait, and share what it found or failed of."""
        seen, tried = self._topology, self._tries
        if not self._asking.acquire(blocking=seen is None):
            return None
        try:
            if self._topology is not seen or self._tries != tried:
                return self._refusal
            self._refusal = self._ask_around(seen)
            self._tries += 1
            return self._refusal
        finally:
            self._asking.release()

    def _ask_around(self, seen: Topology | None) -> Incoming | None:
        doubted, self._doubted = self._doubted, None
        last: Incoming = CLOSED
        for node in candidates(seen, self._reach.seeds, doubted):
            connections = self._at(node)
            if connections is None:
                return CLOSED
            last = connections.ask(Request(CLUSTER_SLOTS), ASK_WITHIN_S)
            if isinstance(last, Answered):
                found = read_topology(last.value, node, self._reach.remap)
                if found.nodes:
                    self._topology = found
                    self._rest(found)
                    return None
        return no_topology(last)

    def _rest(self, topology: Topology) -> None:
        for node, connections in tuple(self._nodes.items()):
            if node not in topology.nodes:
                connections.rest()

    # --- its nodes ----------------------------------------------------------------------------

    def _take_at(self, node: Node, parks: bool) -> Line | Incoming:
        connections = self._at(node)
        return CLOSED if connections is None else connections.take(parks)

    def _at(self, node: Node) -> Connections | None:
        """The connections to one node; `None` once the backend is closed."""
        with self._making:
            if self.closed:
                return None
            found = self._nodes.get(node)
            if found is None:
                found = Connections(self._reach.client(node), owned=True)
                self._nodes[node] = found
            return found


def no_owner(slot: int) -> ErrorReply:
    """What a call gets whose slot nobody serves: as if a node had said so."""
    return ErrorReply("CLUSTERDOWN", f"no node serves slot {slot}", connecting=True)


def no_topology(last: Incoming) -> Incoming:
    """What a call gets when no node would say who serves what; nothing of it was sent."""
    if isinstance(last, ErrorReply):
        return ErrorReply(last.code, f"{last.text} (asked for CLUSTER SLOTS)", connecting=True)
    reason = last.reason if isinstance(last, Lost) else "it knows of no nodes"
    cause = last.cause if isinstance(last, Lost) else None
    return Lost(False, f"no node of the cluster answered: {reason}", cause)
