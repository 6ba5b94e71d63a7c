"""Targets in containers: one server, and a cluster on a private network, through testcontainers.

Named as `echomq_conformance.containers:container` (also `container_async`, `container_cluster` and
`container_cluster_async`); not registered, since a run of all targets must not need Docker. Needs
the extra `echomq[containers]`. `python -m echomq_conformance.containers` prints what is missing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from .server_targets import ByMap, Running, cluster_door, one_server, server_target
from .target import Target, TargetError

__all__ = [
    "DEFAULT_IMAGE",
    "IMAGE_VARIABLE",
    "container",
    "container_async",
    "container_cluster",
    "container_cluster_async",
    "image_name",
    "what_is_missing",
]

DEFAULT_IMAGE = "valkey/valkey:9.1"
IMAGE_VARIABLE = "ECHOMQ_CONTAINER_IMAGE"
"""Environment variable that names another image; its `valkey-server` must be on its path."""

LABEL = "echomq.conformance"
"""On all that we make; its value is the process that made it."""

PORT = 6379
NODES = 3
ANSWERS_WITHIN_S = 30.0
_POLL_S = 0.05
_LOOPBACK = "127.0.0.1"
_SETTINGS = ("--save", "", "--appendonly", "no", "--protected-mode", "no")


def image_name() -> str:
    """The image that is used: of `ECHOMQ_CONTAINER_IMAGE`, or the public one."""
    return os.environ.get(IMAGE_VARIABLE) or DEFAULT_IMAGE


def container() -> Target:
    """`ValkeyBackend` on one server in a container."""
    return server_target("container", _one)


def container_async() -> Target:
    """`AsyncValkeyBackend` on one server in a container."""
    return server_target("container-async", _one, asynchronous=True)


def container_cluster() -> Target:
    """`ValkeyBackend` on a cluster of three containers on a private network."""
    return server_target("container-cluster", _cluster, claims=frozenset({"cluster"}))


def container_cluster_async() -> Target:
    """`AsyncValkeyBackend` on a cluster of three containers on a private network."""
    claims = frozenset({"cluster"})
    return server_target("container-cluster-async", _cluster, asynchronous=True, claims=claims)


def what_is_missing() -> str:
    """What stands in the way of running these targets, in a sentence; empty when nothing does.

    Fetches the image when it is not there yet.
    """
    try:
        import docker
        import docker.errors
        import testcontainers  # noqa: F401 - asked for here, used where something is started
    except ImportError as missing:
        return f"{missing.name} is not installed. It comes with: pip install echomq[containers]"
    try:
        client = docker.from_env()
        client.ping()
    except docker.errors.DockerException as error:
        return f"Docker does not answer ({error})"
    image = image_name()
    try:
        try:
            client.images.get(image)
        except docker.errors.ImageNotFound:
            client.images.pull(image)
    except docker.errors.DockerException as error:
        return f"the image {image} is not here and cannot be fetched ({error})"
    finally:
        client.close()
    return ""


# --- what is started ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Server:
    """A container that runs: its address on the private network, its port on our loopback."""

    address: str
    port: int

    def ask(self, *command: Any) -> Any:
        import redis

        client: Any
        with redis.Redis(_LOOPBACK, self.port, socket_timeout=ANSWERS_WITHIN_S) as client:
            client.response_callbacks.clear()
            return client.execute_command(*command)

    def answers(self) -> bool:
        import redis

        try:
            return bool(self.ask("PING") == b"PONG")
        except redis.ConnectionError:
            return False

    def finds_whole(self, nodes: int) -> bool:
        """Whether it finds so many nodes, and every slot served."""
        told = self.ask("CLUSTER", "INFO")
        return b"cluster_state:ok" in told and b"cluster_known_nodes:%d" % nodes in told


@contextmanager
def _one() -> Iterator[Running]:
    with _servers(1) as (server,), one_server(f"redis://{_LOOPBACK}:{server.port}") as running:
        yield running


@contextmanager
def _cluster() -> Iterator[Running]:
    import redis

    with _servers(NODES, "--cluster-enabled", "yes") as nodes:
        _join(nodes)
        reach = ByMap({(node.address, PORT): (_LOOPBACK, node.port) for node in nodes})
        with redis.RedisCluster(**reach.client_arguments()) as client:
            yield Running(reach, cluster_door(client))


def _join(nodes: Sequence[_Server]) -> None:
    """Make one cluster of them, the slots shared evenly."""
    from echomq_valkey.cluster_nodes import slot_ranges

    for epoch, (node, (low, high)) in enumerate(zip(nodes, slot_ranges(len(nodes)), strict=True)):
        node.ask("CLUSTER", "SET-CONFIG-EPOCH", epoch + 1)
        node.ask("CLUSTER", "ADDSLOTSRANGE", low, high)
    for node in nodes[1:]:
        nodes[0].ask("CLUSTER", "MEET", node.address, PORT)
    _until(lambda: all(node.finds_whole(len(nodes)) for node in nodes), "the cluster is whole")


@contextmanager
def _servers(count: int, *settings: str) -> Iterator[list[_Server]]:
    """So many servers that answer, on a private network that publishes on loopback alone.

    Network and containers are removed on exit, whatever happened. What a killed run left is
    removed here, so that the image of testcontainers' own reaper is not needed.
    """
    from testcontainers.core.config import testcontainers_config
    from testcontainers.core.container import DockerContainer
    from testcontainers.core.network import Network

    testcontainers_config.ryuk_disabled = True
    if missing := what_is_missing():
        raise TargetError(missing)
    _remove_what_was_left()
    label = {LABEL: str(os.getpid())}
    on_loopback = {"com.docker.network.bridge.host_binding_ipv4": _LOOPBACK}
    with ExitStack() as stack:
        network = Network(docker_network_kw={"labels": label, "options": on_loopback})
        stack.enter_context(network)
        servers = []
        for _ in range(count):
            made = DockerContainer(image_name(), network=network, ports=[PORT], labels=label)
            made.with_command(["valkey-server", *_SETTINGS, *settings])
            stack.enter_context(made)
            servers.append(_server(made, network.name))
        _until(lambda: all(server.answers() for server in servers), f"{image_name()} answers")
        yield servers


def _server(made: Any, network: str) -> _Server:
    port = made.get_exposed_port(PORT)
    container = made.get_wrapped_container()
    container.reload()
    return _Server(container.attrs["NetworkSettings"]["Networks"][network]["IPAddress"], port)


def _remove_what_was_left() -> None:
    """Remove what processes made that are no longer there."""
    import docker

    client = docker.from_env()
    try:
        mine = {"label": LABEL}
        for container in client.containers.list(all=True, filters=mine):
            if not _lives(container.labels[LABEL]):
                container.remove(force=True, v=True)
        for network in client.networks.list(filters=mine):
            if not _lives(network.attrs["Labels"][LABEL]):
                network.remove()
    finally:
        client.close()


def _lives(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # somebody else's
        return True
    return True


def _until(holds: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + ANSWERS_WITHIN_S
    while not holds():
        if time.monotonic() > end:
            raise TargetError(f"it did not come within {ANSWERS_WITHIN_S:.0f} s that {what}")
        time.sleep(_POLL_S)


if __name__ == "__main__":
    print(what_is_missing())
