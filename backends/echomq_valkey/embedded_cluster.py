"""A private real cluster on loopback ports, and what may be done to its nodes."""

from __future__ import annotations

import secrets
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import InvalidArgument, ServerUnusable

from .cluster_nodes import (
    SLOTS,
    EmbeddedNode,
    TableLine,
    free_ports,
    node_table,
    parse_info,
    parse_table,
    serve_all_once,
    slot_ranges,
)
from .embedded import START_WITHIN_S, end_of_log, resolve_binary
from .forking import renew_in_child
from .guarding import Guard

__all__ = ["EmbeddedCluster"]

_POLL_S = 0.01
_ASK_WITHIN_S = 5.0
_ORDER_HOLDS_S = 5.2
"""A server gives up a hand-over after 5 s."""
_TRIES = 3
_MOST_NODES = 50
_PORT_TAKEN = "already in use"


class EmbeddedCluster:
    """Servers in cluster mode on `127.0.0.1`, with a random password, in a folder of this user.

    `primaries` share the slots evenly; each has so many `replicas`. `node_timeout_ms`: how long a
    node may be silent before its replica takes over (a busy machine needs a generous one).
    `binary` and `args` as for `EmbeddedServer`. Started on entry, gone on exit and with this
    process.

    Raises `InvalidArgument`, `MissingExtra`, `ServerUnusable`.
    """

    def __init__(
        self,
        *,
        primaries: int = 3,
        replicas: int = 1,
        node_timeout_ms: int = 5_000,
        binary: str | Path | None = None,
        args: Sequence[str] = (),
    ) -> None:
        if primaries < 1 or replicas < 0 or primaries * (1 + replicas) > _MOST_NODES:
            raise InvalidArgument(
                "primaries, replicas",
                (primaries, replicas),
                f"a cluster has a primary and at most {_MOST_NODES} nodes",
                "Three primaries with a replica each are usual",
            )
        self._ranges = slot_ranges(primaries)
        self._count = primaries * (1 + replicas)
        self._node_timeout_ms = node_timeout_ms
        self._binary = binary
        self._args = tuple(args)
        self._guard = Guard()
        self._forget()
        self.renew()
        renew_in_child(self)

    def renew(self) -> None:
        """Called in a forked child: a lock that nobody holds there."""
        self._lock = threading.RLock()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The `valkey-cluster://` URL, password included."""
        addresses = ",".join(node.address for node in self.nodes)
        return f"valkey-cluster://:{self._password}@{addresses}"

    @property
    def password(self) -> str:
        """Of every node."""
        return self._password

    @property
    def nodes(self) -> tuple[EmbeddedNode, ...]:
        """All nodes; those that began as primaries come first."""
        if not self._nodes:
            raise ServerUnusable("the embedded cluster is not started")
        return self._nodes

    def pid(self, node: EmbeddedNode) -> int:
        """The process id of a node."""
        return self._processes[node].pid

    # --- its life -----------------------------------------------------------------------------

    def start(self) -> None:
        """Start all nodes and wait until each finds the cluster whole; nothing if it is started."""
        with self._lock:
            if self._nodes:
                return
            self._binary = resolve_binary(self._binary)
            for left in reversed(range(_TRIES)):
                try:
                    self._start()
                    return
                except ServerUnusable as failed:
                    self.stop()
                    if not left or _PORT_TAKEN not in str(failed):
                        raise
                except BaseException:
                    self.stop()
                    raise

    def stop(self) -> None:
        """End all nodes and remove their folder; idempotent. A forked child does nothing."""
        with self._lock:
            for client in self._clients.values():
                client.close()
            self._forget()
            self._guard.close()

    def _forget(self) -> None:
        self._password = ""
        self._nodes: tuple[EmbeddedNode, ...] = ()
        self._processes: dict[EmbeddedNode, subprocess.Popen[bytes]] = {}
        self._paused: set[EmbeddedNode] = set()
        self._clients: dict[EmbeddedNode, redis.Redis] = {}

    def _start(self) -> None:
        folder = self._guard.open()
        self._password = secrets.token_hex(16)
        ports = free_ports(2 * self._count)
        self._nodes = tuple(
            EmbeddedNode(f"n{index}", secrets.token_hex(20), ports[2 * index], ports[2 * index + 1])
            for index in range(self._count)
        )
        for node in self._nodes:
            home = folder / node.name
            home.mkdir()
            (home / "nodes.conf").write_text(node_table(self._nodes, self._ranges, node))
            (home / "conf").write_text(self._settings(node, home))
            self._launch(node)
        self.wait_until_whole()

    def _settings(self, node: EmbeddedNode, home: Path) -> str:
        """In a file: the password must not show in the list of processes."""
        return (
            f"bind {node.host}\n"
            f"port {node.port}\n"
            f"cluster-port {node.bus_port}\n"
            f"cluster-enabled yes\n"
            f"cluster-config-file nodes.conf\n"
            f"cluster-node-timeout {self._node_timeout_ms}\n"
            f"cluster-allow-replica-migration no\n"
            f"cluster-replica-validity-factor 0\n"  # old data is better than an empty node
            f"repl-diskless-sync-delay 0\n"
            f"requirepass {self._password}\n"
            f"masterauth {self._password}\n"
            f'save ""\n'
            f"appendonly no\n"
            f'dir "{home}"\n'
        )

    def _launch(self, node: EmbeddedNode) -> None:
        folder = self._guard.folder
        if folder is None:
            raise ServerUnusable("the embedded cluster is not started")
        home = folder / node.name
        command = (str(self._binary), str(home / "conf"), *self._args)
        self._processes[node] = self._guard.launch(node.name, command, folder=home)

    # --- what may be done to it ---------------------------------------------------------------

    def kill(self, node: EmbeddedNode) -> None:
        """End a node as a crash would."""
        self._guard.end(node.name, signal.SIGKILL)
        self._paused.discard(node)

    def restart(self, node: EmbeddedNode) -> None:
        """End a node in order, if it runs, and start it again: empty, and it joins by itself."""
        self.resume(node)
        self._guard.end(node.name, signal.SIGTERM)
        self._launch(node)
        self._await(node, lambda: self._heard(node, "PING") == b"PONG", "did not answer")

    def pause(self, node: EmbeddedNode) -> None:
        """Freeze a node: its connections stay open, and nothing is answered."""
        self._processes[node].send_signal(signal.SIGSTOP)
        self._paused.add(node)

    def resume(self, node: EmbeddedNode) -> None:
        """Let a frozen node go on."""
        if node in self._paused:
            self._processes[node].send_signal(signal.SIGCONT)
            self._paused.discard(node)

    def failover(self, node: EmbeddedNode) -> EmbeddedNode:
        """Hand this primary's slots to a replica of it, losing nothing; answers the new primary."""
        heirs = self.replicas_of(node)
        if not heirs:
            raise ServerUnusable(f"{node.address} has no replica that runs")
        heir = heirs[0]
        ordered_at: float | None = None

        def took_over() -> bool:
            nonlocal ordered_at
            if heir in self.primaries():
                return True
            # An order may be refused, and its votes be denied soon after an earlier hand-over.
            due = ordered_at is None or time.monotonic() > ordered_at + _ORDER_HOLDS_S
            if due and self._heard(heir, "CLUSTER", "FAILOVER") == b"OK":
                ordered_at = time.monotonic()
            return False

        self._await(heir, took_over, "did not take over")
        return heir

    # --- what its nodes say -------------------------------------------------------------------

    def ask(self, node: EmbeddedNode, *command: Any) -> Any:
        """The raw reply of one node to one command; no redirection is followed.

        Raises what redis-py raises.
        """
        with self._lock:
            client = self._clients.get(node)
            if client is None:
                client = redis.Redis(
                    host=node.host,
                    port=node.port,
                    password=self._password,
                    socket_timeout=_ASK_WITHIN_S,
                    retry=Retry(NoBackoff(), 0),
                )
                client.response_callbacks.clear()
                self._clients[node] = client
        return client.execute_command(*command)  # type: ignore[no-untyped-call]  # redis-py

    def runs(self, node: EmbeddedNode) -> bool:
        """Whether its process is there and not frozen."""
        return self._processes[node].poll() is None and node not in self._paused

    def owners(self) -> tuple[EmbeddedNode | None, ...]:
        """For each slot the running node that says that it serves it; of several, the latest
        elected; `None` where there is none."""
        found: list[EmbeddedNode | None] = [None] * SLOTS
        lines = [(line, node) for node in self.nodes if (line := self._own_line(node))]
        for line, node in sorted(lines, key=lambda pair: pair[0].epoch):
            for low, high in line.ranges:
                found[low : high + 1] = [node] * (high + 1 - low)
        return tuple(found)

    def primary_of(self, slot: int) -> EmbeddedNode:
        """The owner of one slot."""
        owner = self.owners()[slot]
        if owner is None:
            raise ServerUnusable(f"no node of the embedded cluster serves slot {slot}")
        return owner

    def primaries(self) -> tuple[EmbeddedNode, ...]:
        """The running nodes that say that they serve slots."""
        lines = [(self._own_line(node), node) for node in self.nodes]
        return tuple(node for line, node in lines if line and line.ranges)

    def replicas_of(self, node: EmbeddedNode) -> tuple[EmbeddedNode, ...]:
        """The running nodes that say that they follow this one."""
        lines = ((self._own_line(other), other) for other in self.nodes)
        return tuple(other for line, other in lines if line and line.follows == node.id)

    def wait_until_whole(self) -> None:
        """Until the running nodes serve every slot once, agree on it, and replicate in step."""
        # When every node has ended already, the first one's log says why.
        node = next((node for node in self.nodes if self.runs(node)), self.nodes[0])
        self._await(node, self._is_whole, "and the other nodes found no whole cluster")

    def _own_line(self, node: EmbeddedNode) -> TableLine | None:
        return next((line for line in self._table(node) if line.mine), None)

    def _table(self, node: EmbeddedNode) -> tuple[TableLine, ...]:
        return parse_table(self._heard(node, "CLUSTER", "NODES"))

    def _is_whole(self) -> bool:
        running = {node.id: node for node in self.nodes if self.runs(node)}
        tables = [self._table(node) for node in running.values()]
        linked = [{line.id for line in table if line.linked} for table in tables]
        lines = [line for table in tables for line in table if line.mine]
        return (
            all(running.keys() <= ids for ids in linked)
            and serve_all_once(lines)
            and all(self._in_step(node, lines) for node in running.values())
        )

    def _in_step(self, node: EmbeddedNode, lines: Sequence[TableLine]) -> bool:
        state = parse_info(self._heard(node, "CLUSTER", "INFO")).get("cluster_state")
        link = parse_info(self._heard(node, "INFO", "replication"))
        if link.get("role") == "master":
            followers = sum(line.follows == node.id for line in lines)
            linked = sum("state=online" in text for text in link.values()) == followers
        else:
            linked = link.get("master_link_status") == "up"
        return state == "ok" and linked

    def _heard(self, node: EmbeddedNode, *command: Any) -> bytes:
        """The reply of a node that may be starting or gone; empty when it gives none."""
        if not self.runs(node):
            return b""
        try:
            reply = self.ask(node, *command)
        except (redis.RedisError, OSError):
            return b""
        return reply if isinstance(reply, bytes) else b""

    def _await(self, node: EmbeddedNode, holds: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + START_WITHIN_S
        while not holds():
            code = self._processes[node].poll()
            if code is not None:
                raise ServerUnusable(self._failure(node, f"ended with status {code}"))
            if time.monotonic() > end:
                raise ServerUnusable(self._failure(node, f"{what} within {START_WITHIN_S:.0f} s"))
            time.sleep(_POLL_S)

    def _failure(self, node: EmbeddedNode, what: str) -> str:
        folder = self._guard.folder
        log = (folder / node.name / "log").read_text("utf-8", errors="replace") if folder else ""
        return f"{node.address} of the embedded cluster ({self._binary}) {what}. {end_of_log(log)}"
