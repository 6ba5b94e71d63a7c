"""Ways to reach a server, and servers that cannot be used: URL to first answer, on both faces."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend
from echomq_valkey.replies import MINIMAL_USER

from echomq_core import (
    Empty,
    FullBackend,
    ServerInfo,
    ServerTooOld,
    ServerUnusable,
    WireVersionMismatch,
    WrongKeyType,
)
from echomq_core.keyspace import VERSION_KEY, Keyspace

from .faces import Opener
from .interception import Fate, Proxy
from .verb_cases import CASES, VerbCase


def _serves(backend: FullBackend, queue: str) -> None:
    backend.enqueue(queue, "g", b"\x00payload")
    job = backend.claim(queue, 10_000)
    assert not isinstance(job, Empty)
    assert job.payload == b"\x00payload"
    assert backend.complete(queue, job.id, job.token) == "completed"
    assert backend.park(queue, 1) in (True, False)


@pytest.mark.parametrize("protocol", [2, 3])
def test_every_protocol_serves(
    server: EmbeddedServer, open_face: Opener, queue: str, protocol: int
) -> None:
    _serves(open_face(f"{server.url}?protocol={protocol}"), queue)


def test_database_number_selects_the_database(
    server: EmbeddedServer, open_face: Opener, queue: str
) -> None:
    open_face(f"{server.url}?db=5").enqueue(queue, "g", b"")
    key = Keyspace(queue).ring
    for number, found in ((0, 0), (5, 1)):
        with redis.Redis(unix_socket_path=str(server.socket_path), db=number) as client:
            assert client.exists(key) == found


def test_database_that_is_not_there_is_unusable(
    server: EmbeddedServer, open_face: Opener, queue: str
) -> None:
    with pytest.raises(ServerUnusable, match="DB index"):
        open_face(f"{server.url}?db=99999").enqueue(queue, "g", b"")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def guarded() -> Iterator[tuple[EmbeddedServer, int]]:
    """A server on TCP with a password, and a user who may do what EchoMQ needs, and `check`."""
    port = free_port()
    with EmbeddedServer(args=("--port", str(port), "--requirepass", "s3cret/@")) as running:
        with redis.Redis(port=port, password="s3cret/@") as client:
            client.execute_command(
                "ACL",
                "SETUSER",
                "worker",
                "on",
                ">pw",
                *MINIMAL_USER.split(),
                "+info",
                "+config|get",
            )
            client.execute_command(
                "ACL", "SETUSER", "guest", "on", ">pw", "~*", "+@read", "+@connection"
            )
        yield running, port


@pytest.mark.parametrize("user", [":s3cret%2F%40", "worker:pw"])
@pytest.mark.parametrize("protocol", [2, 3])
def test_password_and_acl_user_serve(
    guarded: tuple[EmbeddedServer, int], open_face: Opener, queue: str, user: str, protocol: int
) -> None:
    server, port = guarded
    _serves(open_face(f"valkey://{user}@127.0.0.1:{port}?protocol={protocol}"), queue)
    _serves(open_face(f"unix://{user}@{server.socket_path}?protocol={protocol}"), queue)


@pytest.mark.parametrize("case", CASES, ids=[case.verb for case in CASES])
def test_conn_7_minimal_user_may_use_every_verb(
    guarded: tuple[EmbeddedServer, int], open_face: Opener, queue: str, case: VerbCase
) -> None:
    port = guarded[1]
    with (
        redis.Redis(port=port, password="s3cret/@") as admin,
        ValkeyBackend.from_url(f"valkey://:s3cret%2F%40@127.0.0.1:{port}") as owner,
    ):
        case.prepare(owner, admin, queue)
    answer = case.call(open_face(f"valkey://worker:pw@127.0.0.1:{port}"), queue)
    if isinstance(answer, ServerInfo):
        assert answer.scripts
        assert "unknown" not in (answer.version, answer.eviction, answer.persistence)


@pytest.mark.parametrize("user", ["", ":wrong@", "nobody:pw@", "guest:pw@"])
@pytest.mark.parametrize("protocol", [2, 3])
def test_user_who_may_not_is_told_the_remedy(
    guarded: tuple[EmbeddedServer, int], open_face: Opener, queue: str, user: str, protocol: int
) -> None:
    backend = open_face(f"valkey://{user}127.0.0.1:{guarded[1]}?protocol={protocol}")
    remedy = "ACL SETUSER" if user.startswith("guest") else "user and the password into the URL"
    with pytest.raises(ServerUnusable, match=remedy):
        backend.enqueue(queue, "g", b"")


@pytest.fixture(scope="module")
def tls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, int]]:
    """A server that speaks TLS only, and the folder of its certificate."""
    if shutil.which("openssl") is None:
        pytest.skip("no openssl here to make a certificate")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"],
        check=True,
        capture_output=True,
    )  # fmt: skip
    port = free_port()
    args: tuple[str, ...] = ("--tls-port", str(port), "--tls-auth-clients", "no")
    args += ("--tls-cert-file", str(folder / "cert.pem"), "--tls-key-file", str(folder / "key.pem"))
    try:
        running = EmbeddedServer(args=args)
        running.start()
    except ServerUnusable as refused:
        running = EmbeddedServer(binary="/usr/bin/redis-server", args=args)
        try:
            running.start()
        except ServerUnusable:
            pytest.skip(f"no server here that speaks TLS: {refused}")
    yield folder, port
    running.stop()


def test_tls_serves_with_a_certificate_that_is_known(
    tls: tuple[Path, int], open_face: Opener, queue: str
) -> None:
    folder, port = tls
    _serves(open_face(f"valkeys://127.0.0.1:{port}?ssl_ca_certs={folder}/cert.pem"), queue)
    _serves(open_face(f"rediss://127.0.0.1:{port}?ssl_cert_reqs=none&protocol=2"), queue)


def test_tls_certificate_that_is_not_known_is_not_applied(
    tls: tuple[Path, int], open_face: Opener, queue: str
) -> None:
    with pytest.raises(Exception, match="certificate verify failed") as caught:
        open_face(f"valkeys://127.0.0.1:{tls[1]}").enqueue(queue, "g", b"")
    assert type(caught.value).__name__ == "NotApplied"


class TestFence:
    """KEYS-4b: read before the first verb, written only when the caller names the text."""

    @pytest.fixture(autouse=True)
    def _no_version(self, raw: redis.Redis) -> Iterator[None]:
        yield
        raw.delete(VERSION_KEY)

    @pytest.mark.parametrize("version", ["echomq:2.0.0", "echomq:3.11.2"])
    def test_known_layout_is_accepted(
        self, server: EmbeddedServer, raw: redis.Redis, open_face: Opener, queue: str, version: str
    ) -> None:
        raw.set(VERSION_KEY, version)
        _serves(open_face(server.url), queue)
        assert raw.get(VERSION_KEY) == version.encode()

    @pytest.mark.parametrize(
        "version", ["echomq:4.0.0", "echomq:3.0", "bull:3.0.0", "", "echomq:3.0.0\n"]
    )
    def test_other_layout_is_refused_until_it_is_gone(
        self, server: EmbeddedServer, raw: redis.Redis, open_face: Opener, queue: str, version: str
    ) -> None:
        raw.set(VERSION_KEY, version)
        backend = open_face(server.url)
        for _ in range(2):
            with pytest.raises(WireVersionMismatch) as caught:
                backend.enqueue(queue, "g", b"")
            assert caught.value.found == version
        assert not raw.exists(Keyspace(queue).ring)
        raw.delete(VERSION_KEY)
        _serves(backend, queue)

    def test_absent_version_is_left_absent(
        self, server: EmbeddedServer, raw: redis.Redis, open_face: Opener, queue: str
    ) -> None:
        _serves(open_face(server.url), queue)
        assert not raw.exists(VERSION_KEY)

    def test_named_version_is_written_once_and_must_match(
        self, server: EmbeddedServer, raw: redis.Redis, open_face: Opener, queue: str
    ) -> None:
        _serves(open_face(server.url, wire_version="echomq:3.0.0"), queue)
        assert raw.get(VERSION_KEY) == b"echomq:3.0.0"
        _serves(open_face(server.url, wire_version="echomq:3.0.0"), queue)
        with pytest.raises(WireVersionMismatch):
            open_face(server.url, wire_version="echomq:3.0.1").depth(queue, "g")
        assert raw.get(VERSION_KEY) == b"echomq:3.0.0"

    def test_named_version_never_replaces_one_that_came_in_between(
        self, proxy: Proxy, raw: redis.Redis, open_face: Opener, queue: str
    ) -> None:
        def another_is_first(command: list[bytes]) -> bool:
            if command[0] == b"SET":
                raw.set(VERSION_KEY, "echomq:2.0.0")
            return False

        proxy.arm(Fate.CUT, another_is_first)
        with pytest.raises(WireVersionMismatch):
            open_face(proxy.url, wire_version="echomq:3.0.0").depth(queue, "g")
        assert raw.get(VERSION_KEY) == b"echomq:2.0.0"

    def test_version_of_a_wrong_type_names_the_key(
        self, server: EmbeddedServer, raw: redis.Redis, open_face: Opener, queue: str
    ) -> None:
        raw.lpush(VERSION_KEY, "x")
        with pytest.raises(WrongKeyType) as caught:
            open_face(server.url).depth(queue, "g")
        assert caught.value.key == VERSION_KEY

    def test_fence_is_read_once(
        self, server: EmbeddedServer, raw: redis.Redis, open_face: Opener, queue: str
    ) -> None:
        backend = open_face(server.url)
        backend.depth(queue, "g")
        raw.set(VERSION_KEY, "echomq:9.0.0")
        backend.depth(queue, "g")


@contextmanager
def _scripted_server(path: Path, *scripts: dict[bytes, bytes]) -> Iterator[str]:
    """A server that knows replies by command name, and OK for all else.

    The first connection gets the first script, and so on; the last one serves all others.
    """
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen()

    def serve(line: socket.socket, replies: dict[bytes, bytes]) -> None:
        with suppress(OSError), line, line.makefile("rb") as stream:
            while head := stream.readline():
                parts = []
                for _ in range(int(head[1:])):
                    size = int(stream.readline()[1:])
                    parts.append(stream.read(size + 2)[:-2])
                line.sendall(replies.get(parts[0].upper(), b"+OK\r\n"))

    def accept() -> None:
        with suppress(OSError):
            for number in count():
                line, _ = listener.accept()
                replies = scripts[min(number, len(scripts) - 1)]
                threading.Thread(target=serve, args=(line, replies), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"unix://{path}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()


def _bulk(text: str) -> bytes:
    return f"${len(text)}\r\n{text}\r\n".encode()


OLD = {
    b"GET": b"$-1\r\n",
    b"EVALSHA": b"-NOSCRIPT No matching script. Please use EVAL.\r\n",
    b"SCRIPT": b"-ERR Error compiling script (new function): user_script:1: unexpected symbol\r\n",
    b"INFO": _bulk("# Server\r\nredis_version:6.2.14\r\n"),
}


def test_server_that_is_too_old_says_which_version_is_needed(
    tmp_path: Path, open_face: Opener, queue: str
) -> None:
    with _scripted_server(tmp_path / "s", OLD) as url:
        with pytest.raises(ServerTooOld) as caught:
            open_face(f"{url}?protocol=2").enqueue(queue, "g", b"")
        assert (caught.value.found, caught.value.needed) == ("6.2.14", "7.0")


def test_server_without_scripts_is_unusable(tmp_path: Path, open_face: Opener, queue: str) -> None:
    replies = OLD | {b"EVALSHA": b"-ERR unknown command 'EVALSHA', with args beginning with:\r\n"}
    with (
        _scripted_server(tmp_path / "s", replies) as url,
        pytest.raises(ServerUnusable, match=r"7\.0"),
    ):
        open_face(f"{url}?protocol=2").enqueue(queue, "g", b"")


@pytest.mark.parametrize("code", ["READONLY", "MASTERDOWN", "LOADING"])
def test_conn_4_refusal_that_passes_is_followed_up_on_a_new_connection(
    tmp_path: Path, open_face: Opener, queue: str, code: str
) -> None:
    """The old one may lead to a server that was demoted and stays it."""
    demoted = {b"GET": b"$-1\r\n", b"EVALSHA": f"-{code} not here\r\n".encode()}
    primary = {b"EVALSHA": b":1\r\n"}
    with _scripted_server(tmp_path / "s", demoted, primary) as url:
        assert open_face(f"{url}?protocol=2").pause(queue, "g") is True
