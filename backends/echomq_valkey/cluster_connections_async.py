"""The async edge of a cluster: `cluster_connections`, awaited."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import redis.asyncio

from .calls import Call
from .cluster_clients import Reach
from .cluster_connections import ASK_WITHIN_S, Road, no_owner, no_topology
from .connections import CLOSED
from .connections_async import AsyncConnections, AsyncLine
from .conversation import Replicas, converse
from .exchange import Answered, Incoming, Lost, Pause, Request
from .routing import Redirect, Routed, doubts, routed, slot_of_call
from .topology import CLUSTER_SLOTS, Node, Topology, candidates, read_topology

__all__ = ["AsyncClusterConnections"]

A = TypeVar("A")


class AsyncClusterConnections:
    """Sends each call to the primary of its slot; asks the nodes again who that is when in doubt."""

    def __init__(self, reach: Reach[redis.asyncio.Redis]) -> None:
        self._reach = reach
        self._nodes: dict[Node, AsyncConnections] = {}
        self._topology: Topology | None = None
        self._doubted: Node | None = None
        self._tries = 0
        self._refusal: Incoming | None = None
        self._closed = False
        self._asking = asyncio.Lock()

    @property
    def closed(self) -> bool:
        return self._closed

    async def close(self) -> None:
        """Wake what is parked, close what is idle; connections in use close when they are done."""
        self._closed = True
        for connections in tuple(self._nodes.values()):
            await connections.close()

    async def answer(self, call: Call[A], replicas: Replicas | None = None) -> A:
        """Carry out one call; `replicas` that must have it, if it writes."""
        return await self._carry(routed(converse(call, replicas=replicas)), slot_of_call(call))

    async def _carry(self, conversation: Routed[A], slot: int) -> A:
        """Run a conversation to its end; holds at most one connection, never across a pause."""
        line: AsyncLine | None = None
        road: Road | None = None
        taken: AsyncLine | Incoming = CLOSED
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
                        road, taken = await self._take(slot, elsewhere, parks=step.parks)
                    if isinstance(taken, AsyncLine):
                        line = taken
                        incoming = await line.exchange(step)
                    else:
                        incoming = taken
                    if doubts(incoming):
                        self._doubt(road)
                    if isinstance(incoming, Lost):
                        await self._leave(line)
                        line = None
                        incoming = CLOSED if step.parks and self.closed else incoming
                    continue
                incoming = None
                elsewhere = self._follow(step, road) if isinstance(step, Redirect) else None
                await self._leave(line, drop=isinstance(step, Pause))
                line = None
                if isinstance(step, Pause):
                    await asyncio.sleep(step.seconds)
        finally:
            await self._leave(line)

    async def _leave(self, line: AsyncLine | None, *, drop: bool = False) -> None:
        """Give a connection back, if there is one; `drop`: disconnected."""
        if line is not None:
            if drop:
                await line.drop()
            await line.give_back()

    # --- who serves what ----------------------------------------------------------------------

    async def _take(
        self, slot: int, elsewhere: Node | None, *, parks: bool
    ) -> tuple[Road | None, AsyncLine | Incoming]:
        """A connection to the node of a slot, or why there is none; nothing was sent then."""
        if elsewhere is not None:
            return Road(elsewhere, self._topology), await self._take_at(elsewhere, parks)
        road = await self._road(slot)
        if not isinstance(road, Road):
            return None, road
        taken = await self._take_at(road.node, parks)
        if isinstance(taken, Lost) and not self.closed:
            # Nothing was sent, so whoever serves the slot by now may be given the call.
            self._doubt(road)
            other = await self._road(slot)
            if isinstance(other, Road) and other.node != road.node:
                return other, await self._take_at(other.node, parks)
        return road, taken

    async def _road(self, slot: int) -> Road | Incoming:
        if self._topology is None or self._doubted is not None:
            refused = await self._learn()
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

    async def _learn(self) -> Incoming | None:
        """Ask one node after the other. While one task does, the others use what is known; where
        nothing is known yet they wait, and share what it found or failed of."""
        seen, tried = self._topology, self._tries
        if seen is not None and self._asking.locked():
            return None
        async with self._asking:
            if self._topology is not seen or self._tries != tried:
                return self._refusal
            self._refusal = await self._ask_around(seen)
            self._tries += 1
            return self._refusal

    async def _ask_around(self, seen: Topology | None) -> Incoming | None:
        doubted, self._doubted = self._doubted, None
        last: Incoming = CLOSED
        for node in candidates(seen, self._reach.seeds, doubted):
            connections = self._at(node)
            if connections is None:
                return CLOSED
            last = await connections.ask(Request(CLUSTER_SLOTS), ASK_WITHIN_S)
            if isinstance(last, Answered):
                found = read_topology(last.value, node, self._reach.remap)
                if found.nodes:
                    self._topology = found
                    await self._rest(found)
                    return None
        return no_topology(last)

    async def _rest(self, topology: Topology) -> None:
        for node, connections in tuple(self._nodes.items()):
            if node not in topology.nodes:
                await connections.rest()

    # --- its nodes ----------------------------------------------------------------------------

    async def _take_at(self, node: Node, parks: bool) -> AsyncLine | Incoming:
        connections = self._at(node)
        return CLOSED if connections is None else await connections.take(parks)

    def _at(self, node: Node) -> AsyncConnections | None:
        """The connections to one node; `None` once the backend is closed."""
        if self.closed:
            return None
        found = self._nodes.get(node)
        if found is None:
            found = AsyncConnections(self._reach.client(node), owned=True)
            self._nodes[node] = found
        return found
