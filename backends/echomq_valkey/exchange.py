"""What passes between a conversation (pure) and the connection that carries it (I/O).

A conversation yields a `Request` or a `Pause`; the driver answers a request with an `Incoming`,
as a value: failures too, so that every decision about them is made in one place without I/O.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .calls import Arg

__all__ = ["Answered", "ErrorReply", "Incoming", "Lost", "Pause", "Request", "encoded"]


def encoded(parts: tuple[Arg, ...]) -> tuple[bytes, ...]:
    """Arguments as the bytes that go on the wire; text as UTF-8, whatever the client's encoding."""
    return tuple(part if isinstance(part, bytes) else str(part).encode("utf-8") for part in parts)


@dataclass(frozen=True, slots=True)
class Request:
    """One command for the conversation's connection; the next request of it uses the same one.

    `patience_ms`: the server may take so long by design; the read time-out is this plus a margin,
    and the client's own otherwise. `parks`: carried by a connection for blocking commands.
    """

    parts: tuple[bytes, ...]
    patience_ms: int | None = None
    parks: bool = False


@dataclass(frozen=True, slots=True)
class Pause:
    """Drop the connection, wait, go on: with a new one, to whichever server then is the primary."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Answered:
    """A reply that is no error; bytes are not decoded."""

    value: Any


@dataclass(frozen=True, slots=True)
class ErrorReply:
    """The server's refusal: its code (`NOSCRIPT`, `ERR`) and the text after it.

    `connecting`: it came while the connection was made, so the request was not sent.
    """

    code: str
    text: str
    connecting: bool = False

    def __str__(self) -> str:
        return f"{self.code} {self.text}"


@dataclass(frozen=True, slots=True)
class Lost:
    """No reply. `sent`: a byte of the request may have reached the server."""

    sent: bool
    reason: str
    cause: BaseException | None = None


Incoming = Answered | ErrorReply | Lost
