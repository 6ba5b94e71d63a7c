"""A proxy between a backend and its server that loses what a test tells it to lose."""

from __future__ import annotations

import enum
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Fate", "Proxy"]

HANDSHAKE = frozenset({b"HELLO", b"CLIENT", b"AUTH", b"SELECT"})


class Fate(enum.Enum):
    """What happens to one command."""

    EAT = "the server runs it; its reply is swallowed and the connection closed"
    CUT = "it never reaches the server; the connection is closed"
    HOLD = "the server runs it; its reply waits until the test lets go"


class Proxy:
    """Listens on a unix socket of its own and forwards to `upstream`."""

    def __init__(self, upstream: Path, path: Path) -> None:
        self.path = path
        self.seen: list[list[bytes]] = []
        self.holding = threading.Event()
        self.let_go = threading.Event()
        self._upstream = upstream
        self._armed: tuple[Fate, Callable[[list[bytes]], bool]] | None = None
        self._lock = threading.Lock()
        self._sessions: set[_Session] = set()
        self._listener: socket.socket | None = None

    @property
    def url(self) -> str:
        return f"unix://{self.path}"

    def __enter__(self) -> Self:
        self.accept()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.let_go.set()
        self.refuse()

    def arm(self, fate: Fate, matches: Callable[[list[bytes]], bool] = lambda _: True) -> None:
        """The next command that matches meets this fate, once. Forgets what was seen."""
        with self._lock:
            self.seen = []
            self._armed = fate, matches
        self.holding.clear()
        self.let_go.clear()

    def accept(self) -> None:
        """Take connections (again)."""
        self.path.unlink(missing_ok=True)
        self._listener = listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(self.path))
        listener.listen(256)
        threading.Thread(target=self._listen, args=(listener,), daemon=True).start()

    def refuse(self) -> None:
        """Close every connection and take no new one."""
        listener, self._listener = self._listener, None
        if listener is not None:
            _close(listener)
        self.path.unlink(missing_ok=True)
        for session in tuple(self._sessions):
            session.close()

    def _listen(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(str(self._upstream))
            session = _Session(self, client, server)
            self._sessions.add(session)
            for direction in (session.forward, session.back):
                threading.Thread(target=direction, daemon=True).start()

    def judge(self, command: list[bytes]) -> Fate | None:
        """Record a command; its fate, if this is the one."""
        if command[0].upper() in HANDSHAKE:
            return None
        with self._lock:
            self.seen.append(command)
            if self._armed is not None and self._armed[1](command):
                fate, self._armed = self._armed[0], None
                return fate
        return None

    def done(self, session: _Session) -> None:
        self._sessions.discard(session)


class _Session:
    """One connection: two threads, one for each direction."""

    def __init__(self, proxy: Proxy, client: socket.socket, server: socket.socket) -> None:
        self._proxy = proxy
        self._client = client
        self._server = server
        self._fate: Fate | None = None

    def forward(self) -> None:
        with suppress(OSError):
            for raw, command in _commands(self._client):
                fate = self._proxy.judge(command)
                if fate is Fate.CUT:
                    break
                self._fate = fate or self._fate
                self._server.sendall(raw)
        self.close()

    def back(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(65_536):
                if self._fate is Fate.EAT:
                    break
                if self._fate is Fate.HOLD:
                    self._proxy.holding.set()
                    self._proxy.let_go.wait()
                    self._fate = None
                self._client.sendall(data)
        self.close()

    def close(self) -> None:
        _close(self._client)
        _close(self._server)
        self._proxy.done(self)


def _close(line: socket.socket) -> None:
    # The other direction's thread may sit in recv, which only a shutdown ends.
    with suppress(OSError):
        line.shutdown(socket.SHUT_RDWR)
    line.close()


def _commands(line: socket.socket) -> Iterator[tuple[bytes, list[bytes]]]:
    """The commands of a connection, each as it came and as its parts."""
    buffer = b""
    while data := line.recv(65_536):
        buffer += data
        while (parsed := _command(buffer)) is not None:
            parts, size = parsed
            yield buffer[:size], parts
            buffer = buffer[size:]


def _command(buffer: bytes) -> tuple[list[bytes], int] | None:
    head, end, _ = buffer.partition(b"\r\n")
    if not end:
        return None
    parts, at = [], len(head) + 2
    for _ in range(int(head[1:])):
        stop = buffer.find(b"\r\n", at)
        if stop < 0:
            return None
        size = int(buffer[at + 1 : stop])
        at = stop + 2 + size + 2
        if len(buffer) < at:
            return None
        parts.append(buffer[stop + 2 : stop + 2 + size])
    return parts, at
