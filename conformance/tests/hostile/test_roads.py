"""HOSTILE-2 to HOSTILE-5: replicas, servers that are full of clients or slow, and TLS on both sides."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import echomq_lua
import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend
from redis.backoff import NoBackoff
from redis.retry import Retry

from echomq_core import Empty, Job, Keyspace, NotApplied, OutcomeUnknown, ServerUnusable

from ..valkey.faces import Opener
from ..valkey.interception import Proxy
from ..valkey.test_connecting import free_port
from ..valkey.test_outages import InThread, until
from .conftest import Start

HOUR = 3_600_000
ONCE = Retry(NoBackoff(), 0)
Admin = Callable[[EmbeddedServer], redis.Redis]


# --- replicas ---------------------------------------------------------------------------------


def test_hostile_2_a_replica_gets_nothing_done_and_the_same_call_serves_once_it_is_promoted(
    start: Start, admin: Admin, queue: str
) -> None:
    """A replica that has lost its primary and serves no old data: reads are followed up too."""
    server = start("--replica-serve-stale-data", "no")
    door = admin(server)
    with ValkeyBackend.from_url(server.url) as backend:
        backend.enqueue(queue, "g", b"x")
        door.replicaof("127.0.0.1", "1")
        calls = [
            InThread(lambda: backend.claim(queue, HOUR)),
            InThread(lambda: backend.enqueue(queue, "g", b"y")),
            InThread(lambda: backend.depth(queue, "g")),
            InThread(lambda: backend.snapshot(queue)),
            InThread(lambda: backend.park(queue, 0)),
        ]
        began = time.monotonic()
        for call in calls:
            with pytest.raises(NotApplied, match=r"READONLY|MASTERDOWN"):
                call.result()
        assert time.monotonic() - began >= 1, "refusals were not followed up"
        late = InThread(lambda: backend.claim(queue, HOUR))
        until(lambda: int(door.info("errorstats")["errorstat_MASTERDOWN"]["count"]) > 0, "refused")
        door.replicaof("NO", "ONE")
        job = late.result()
        assert (job.payload, job.token) == (b"x", 1)
        assert backend.claim(queue, HOUR) == Empty("ring_empty")  # type: ignore[arg-type]


def test_hostile_2_check_warns_that_a_server_is_a_replica(
    start: Start, admin: Admin, open_face: Opener
) -> None:
    server = start()
    backend = open_face(server.url)
    assert not any("replica" in warning for warning in backend.check().warnings)
    admin(server).replicaof("127.0.0.1", "1")
    (warning,) = (warning for warning in backend.check().warnings if "replica" in warning)
    assert "primary" in warning


# --- connection limits ------------------------------------------------------------------------


def test_hostile_3_a_server_full_of_clients_costs_new_connections_only(
    start: Start, open_face: Opener, queue: str
) -> None:
    """Who is connected goes on; who is not is told so at once, and serves when there is room."""
    server = start("--maxclients", "12")
    inside, outside = open_face(server.url), open_face(server.url)
    inside.enqueue(queue, "g", b"x")
    crowd: list[socket.socket] = []
    try:
        while _joins(crowd, server.socket_path):
            assert len(crowd) < 20
        for verb in (
            lambda: outside.enqueue(queue, "g", b"y"),
            lambda: outside.claim(queue, HOUR),
            lambda: outside.depth(queue, "g"),
            lambda: outside.park(queue, 1_000),
        ):
            with pytest.raises(NotApplied):
                verb()
        job = inside.claim(queue, HOUR)
        assert isinstance(job, Job)
        assert inside.complete(queue, job.id, job.token) == "completed"
        with pytest.raises(NotApplied):
            inside.park(queue, 1_000)
    finally:
        for line in crowd:
            line.close()
    until(lambda: _serves(outside.enqueue, queue), "there is room again")
    assert inside.park(queue, 1_000)
    assert outside.depth(queue, "g") == 1


def _joins(crowd: list[socket.socket], path: Path) -> bool:
    """Add one more client to the crowd; whether the server took it."""
    line = socket.socket(socket.AF_UNIX)
    line.connect(str(path))
    try:
        line.sendall(b"PING\r\n")
        taken = line.recv(64) == b"+PONG\r\n"
    except OSError:
        taken = False
    if taken:
        crowd.append(line)
    else:
        line.close()
    return taken


def _serves(enqueue: Callable[..., Any], queue: str) -> bool:
    try:
        enqueue(queue, "g", b"y")
    except NotApplied:
        return False
    return True


# --- a slow server ----------------------------------------------------------------------------


def sent(proxy: Proxy, script: str) -> int:
    """How often a call of this script was sent."""
    sha = echomq_lua.sha1(script).encode()
    return sum(command[:2] == [b"EVALSHA", sha] for command in list(proxy.seen))


@contextmanager
def standing_still(server: EmbeddedServer, at_most_s: float = 5.0) -> Iterator[None]:
    """The server does nothing in here, or until the time is over; what is sent to it waits."""
    os.kill(server.pid, signal.SIGSTOP)
    again = threading.Timer(at_most_s, os.kill, (server.pid, signal.SIGCONT))
    again.start()
    try:
        with redis.Redis(
            unix_socket_path=str(server.socket_path), socket_timeout=0.05, retry=ONCE
        ) as probe:
            until(lambda: not _answers(probe), "the server stands still")
        yield
    finally:
        again.cancel()
        again.join()
        os.kill(server.pid, signal.SIGCONT)


def _answers(probe: redis.Redis) -> bool:
    try:
        return bool(probe.ping())
    except redis.TimeoutError:
        return False


def test_hostile_4_a_slow_server_costs_the_answer_and_never_a_second_run(
    start: Start, admin: Admin, open_face: Opener, queue: str, tmp_path: Path
) -> None:
    server = start()
    door = admin(server)
    for name in ("enqueue", "claim", "complete"):
        door.script_load(echomq_lua.load(name))
    with Proxy(server.socket_path, tmp_path / "p") as proxy:
        backend = open_face(f"{proxy.url}?socket_timeout=0.2")
        ids = [backend.enqueue(queue, "g", b"x").id for _ in range(2)]
        first = backend.claim(queue, HOUR)
        assert isinstance(first, Job)
        with standing_still(server), pytest.raises(OutcomeUnknown, match="claim"):
            backend.claim(queue, HOUR)
        assert backend.depth(queue, "g") == 0  # also opens a connection for what comes next
        with standing_still(server), pytest.raises(OutcomeUnknown, match="complete"):
            backend.complete(queue, first.id, first.token)
        assert (sent(proxy, "claim"), sent(proxy, "complete")) == (2, 1)
        until(lambda: door.hget(Keyspace(queue).completed, "count") == b"1", "it was completed")
        job = backend.job(queue, ids[1])
        assert job is not None
        assert (job.state, job.attempts) == ("active", 1)
        assert backend.fsck(queue) == []


def test_hostile_4_an_enqueue_with_a_minted_id_is_sent_twice_and_admits_one_job(
    start: Start, admin: Admin, open_face: Opener, queue: str, tmp_path: Path
) -> None:
    """The second send is still waiting when the server wakes up, and learns of the first."""
    server = start()
    admin(server).script_load(echomq_lua.load("enqueue"))
    with Proxy(server.socket_path, tmp_path / "p") as proxy:
        backend = open_face(f"{proxy.url}?socket_timeout=0.6")
        backend.depth(queue, "g")
        with standing_still(server, at_most_s=1.0):
            answer = backend.enqueue(queue, "g", b"x")
        assert sent(proxy, "enqueue") == 2
        assert answer.duplicate is False
        assert list(backend.snapshot(queue).jobs) == [answer.id]


def test_hostile_4_a_park_is_not_ended_by_the_read_time_out_nor_by_a_slow_server(
    start: Start, open_face: Opener, queue: str
) -> None:
    server = start()
    backend = open_face(f"{server.url}?socket_timeout=0.1")
    assert backend.park(queue, 500) is False
    with standing_still(server, at_most_s=1.0):
        assert backend.park(queue, 200) is False


# --- TLS with client certificates -------------------------------------------------------------


def certificate(folder: Path, name: str) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", folder / f"{name}.key", "-out", folder / f"{name}.pem", "-days", "2",
         "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True,
        capture_output=True,
    )  # fmt: skip


def started_with_tls(folder: Path, port: int) -> EmbeddedServer:
    """A server that wants a certificate of its clients; skips where none here speaks TLS."""
    args: tuple[str, ...] = ("--tls-port", str(port), "--tls-auth-clients", "yes")
    args += ("--tls-cert-file", f"{folder}/server.pem", "--tls-key-file", f"{folder}/server.key")
    args += ("--tls-ca-cert-file", f"{folder}/client.pem")
    refusals = []
    for binary in (None, shutil.which("redis-server")):
        running = EmbeddedServer(binary=binary, args=args)
        try:
            running.start()
        except ServerUnusable as refused:
            refusals.append(str(refused))
        else:
            return running
    pytest.skip(f"no server here that speaks TLS: {refusals[0]}")


def test_hostile_5_tls_with_the_right_client_certificate_only(
    open_face: Opener, queue: str, tmp_path: Path
) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make certificates")
    for name in ("server", "client", "stranger"):
        certificate(tmp_path, name)
    port = free_port()
    with started_with_tls(tmp_path, port):
        url = f"valkeys://127.0.0.1:{port}?ssl_ca_certs={tmp_path}/server.pem"
        mine = f"{url}&ssl_certfile={tmp_path}/client.pem&ssl_keyfile={tmp_path}/client.key"
        backend = open_face(mine)
        job_id = backend.enqueue(queue, "g", b"x").id
        assert backend.park(queue, 1_000)
        others = f"{url}&ssl_certfile={tmp_path}/stranger.pem&ssl_keyfile={tmp_path}/stranger.key"
        for refused in (url, others):
            with pytest.raises(NotApplied):
                open_face(refused).claim(queue, HOUR)
        job = backend.claim(queue, HOUR)
        assert isinstance(job, Job)
        assert (job.id, job.token) == (job_id, 1)
