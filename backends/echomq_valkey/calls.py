"""One call to the server as a value: no I/O here. Plans yield these, drivers send them.

A driver answers a call with `parse(reply)`, or raises a typed error at the `yield`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from echomq_core import Keyspace

__all__ = ["Arg", "Call", "CommandCall", "ScriptCall", "Steps"]

A = TypeVar("A")

Arg = str | bytes | int


@dataclass(frozen=True, slots=True)
class ScriptCall(Generic[A]):
    """One script, run atomically on one queue. `script` is its name in `echomq_lua`.

    KEYS are always the base key and `meta` (KEYS-2). `reads`: it changes nothing, so a driver may
    repeat it, and needs no WAIT after it.
    """

    verb: str
    script: str
    queue: str
    args: tuple[Arg, ...]
    parse: Callable[[Any], A]
    reads: bool = False

    @property
    def keys(self) -> tuple[str, str]:
        keyspace = Keyspace(self.queue)
        return keyspace.base, keyspace.meta


@dataclass(frozen=True, slots=True)
class CommandCall(Generic[A]):
    """One plain command. `key` routes it in a cluster (`None`: any node).

    `block_ms`: it blocks for up to so long, on a connection of its own, whose read time-out is
    this plus a margin (WAKE-3); `None` for a command that does not block.
    """

    verb: str
    command: tuple[Arg, ...]
    parse: Callable[[Any], A]
    key: str | None = None
    reads: bool = False
    block_ms: int | None = None


Call = ScriptCall[A] | CommandCall[A]

Steps = Generator[Call[Any], Any, A]
