"""The version fence (KEYS-4b): which key layout the workers of this server agreed on."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Any

from echomq_core import InvalidArgument, WireVersionMismatch, WrongKeyType
from echomq_core.keyspace import VERSION_KEY

from .calls import CommandCall

__all__ = ["check_wire_version", "fence"]

_ACCEPTED = re.compile(r"echomq:[23]\.[0-9]+\.[0-9]+")
_ACCEPTED_TEXT = "echomq:2.x.y and echomq:3.x.y"


def check_wire_version(value: object) -> None:
    """The exact text to write if there is none: of a layout that is ours, or `None`."""
    if value is None:
        return
    if not isinstance(value, str) or not _ACCEPTED.fullmatch(value):
        raise InvalidArgument(
            "wire_version",
            value,
            f"a wire version is text of the form {_ACCEPTED_TEXT} (KEYS-4b)",
            "Pass the exact text that the other workers compare, for example 'echomq:3.0.0'",
        )


def fence(verb: str, wire_version: str | None) -> Generator[CommandCall[Any], Any, None]:
    """The commands to send before a backend's first verb.

    Raises `WireVersionMismatch`. Writes only if `wire_version` is given and the key is absent.
    """
    found = yield from _read(verb)
    if found is None and wire_version is not None:
        yield CommandCall(
            verb, ("SET", VERSION_KEY, wire_version, "NX"), lambda reply: reply, key=VERSION_KEY
        )
        found = yield from _read(verb)
    if wire_version is not None:
        if found != wire_version:
            raise WireVersionMismatch(str(found), wire_version)
    elif found is not None and not _ACCEPTED.fullmatch(found):
        raise WireVersionMismatch(found, _ACCEPTED_TEXT)


def _read(verb: str) -> Generator[CommandCall[Any], Any, str | None]:
    try:
        found: bytes | None = yield CommandCall(
            verb, ("GET", VERSION_KEY), lambda reply: reply, key=VERSION_KEY, reads=True
        )
    except WrongKeyType as refused:
        raise WrongKeyType(VERSION_KEY, "unknown", "string") from refused
    return None if found is None else found.decode("utf-8", errors="replace")
