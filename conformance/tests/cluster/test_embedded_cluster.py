"""The private cluster: private, real, and gone whenever its process is, however it went."""

from __future__ import annotations

import asyncio
import os
import socket
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from echomq_valkey import EmbeddedCluster, ValkeyBackend
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import (
    InvalidArgument,
    NotApplied,
    ServerUnusable,
    open_async_backend,
    open_backend,
)

from .waiting import until

START = """
import os, signal, sys
from echomq_valkey import EmbeddedCluster
cluster = EmbeddedCluster(primaries=1, replicas=1)
cluster.start()
home = cluster._guard.folder
print(home, *(cluster.pid(node) for node in cluster.nodes), flush=True)
"""


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return not status.exists() or "\nState:\tZ" not in status.read_text()


@pytest.fixture
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_cluster_is_private_and_leaves_nothing(own_temporary_folder: Path) -> None:
    with EmbeddedCluster(primaries=2, replicas=0) as cluster:
        (folder,) = own_temporary_folder.iterdir()
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        pids = [cluster.pid(node) for node in cluster.nodes]
        for node in cluster.nodes:
            words = Path(f"/proc/{cluster.pid(node)}/cmdline").read_bytes()
            assert cluster.password.encode() not in words, "others can list processes"
            with (
                redis.Redis(port=node.port, retry=Retry(NoBackoff(), 0)) as stranger,
                pytest.raises(redis.exceptions.AuthenticationError),
            ):
                stranger.ping()
            for port in (node.port, node.bus_port):
                assert listening_at(port) == {"127.0.0.1"}
        assert len(cluster.primaries()) == 2
        assert None not in cluster.owners()
    assert not any(alive(pid) for pid in pids)
    assert list(own_temporary_folder.iterdir()) == []
    with pytest.raises(ServerUnusable, match="not started"):
        _ = cluster.nodes


def listening_at(port: int) -> set[str]:
    """The addresses on which somebody listens at this port."""
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            address, state = line.split()[1], line.split()[3]
            host, _, number = address.partition(":")
            if state == "0A" and int(number, 16) == port:
                found.add(socket.inet_ntoa(bytes.fromhex(host)[::-1]) if table == "tcp" else host)
    return found


@pytest.mark.parametrize(
    "ending", ["", "os._exit(0)", "os.kill(os.getpid(), signal.SIGKILL)"], ids=["end", "hard", "9"]
)
def test_cluster_is_gone_however_its_process_ends(ending: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", START + ending], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    with process.stdout:
        folder, *pids = process.stdout.readline().split()
        process.wait(20)
    assert len(pids) == 2
    until(lambda: not any(alive(int(pid)) for pid in pids), "its servers are gone")
    paths = Path(folder), Path(f"{folder}.gone")
    until(lambda: not any(path.exists() for path in paths), "its folder is gone")


def test_cluster_that_does_not_start_shows_the_end_of_a_log(own_temporary_folder: Path) -> None:
    with pytest.raises(ServerUnusable, match="must be a memory value"):
        EmbeddedCluster(args=("--maxmemory", "nonsense")).start()
    assert list(own_temporary_folder.iterdir()) == []


@pytest.mark.parametrize(
    "shape", [{"primaries": 0}, {"replicas": -1}, {"primaries": 20, "replicas": 2}]
)
def test_impossible_shapes_are_refused(shape: dict[str, int]) -> None:
    with pytest.raises(InvalidArgument):
        EmbeddedCluster(**shape)  # type: ignore[arg-type]  # counts only


def test_killed_node_comes_back_at_its_address(own_temporary_folder: Path) -> None:
    with EmbeddedCluster() as cluster:
        primary, replica = cluster.nodes[0], cluster.nodes[3]
        assert cluster.replicas_of(primary) == (replica,)
        cluster.kill(replica)
        assert not cluster.runs(replica)
        assert cluster.replicas_of(primary) == ()
        cluster.restart(replica)
        cluster.wait_until_whole()
        assert cluster.replicas_of(primary) == (replica,)
        assert cluster.failover(primary) == replica
        cluster.wait_until_whole()
        assert set(cluster.primaries()) == {replica, *cluster.nodes[1:3]}


def test_open_1_embedded_cluster_starts_at_the_first_verb_and_ends_with_the_last_close(
    own_temporary_folder: Path,
) -> None:
    async def look() -> int:
        async with open_async_backend("embedded-cluster://jobs") as second:
            return await second.depth("q", "g")

    backend = open_backend("embedded-cluster://jobs")
    assert list(own_temporary_folder.iterdir()) == []
    with backend:
        backend.enqueue("q", "g", b"1")
        assert backend.check().topology == "cluster"
        assert asyncio.run(look()) == 1, "one store of both faces"
        assert len(list(own_temporary_folder.iterdir())) == 1
    assert list(own_temporary_folder.iterdir()) == []
    with pytest.raises(NotApplied, match="closed"):
        backend.depth("q", "g")


def test_a_server_that_is_no_cluster_says_so(own_temporary_folder: Path) -> None:
    from echomq_valkey import EmbeddedServer

    from ..valkey.test_connecting import free_port

    port = free_port()
    with (
        EmbeddedServer(args=("--port", str(port))),
        ValkeyBackend.from_url(f"valkey-cluster://127.0.0.1:{port}") as backend,
        pytest.raises(ServerUnusable, match="cluster support disabled"),
    ):
        backend.depth("q", "g")
