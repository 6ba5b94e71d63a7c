"""Cursors of paged reads: opaque text over the last item seen (PAGE-1)."""

from __future__ import annotations

import base64
import json

from echomq_core import InvalidArgument

__all__ = ["decode", "encode"]


def encode(*parts: str | int) -> str:
    """The cursor that continues after these."""
    return base64.urlsafe_b64encode(json.dumps(parts).encode()).decode()


def decode(cursor: str | None, *kinds: type) -> tuple[str | int, ...] | None:
    """What `encode` was given, if it has these types. Raises `InvalidArgument`."""
    if cursor is None:
        return None
    try:
        parts = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except ValueError:
        parts = None
    if not isinstance(parts, list) or [type(part) for part in parts] != list(kinds):
        raise InvalidArgument(
            "cursor",
            cursor,
            "this is no cursor of this read (PAGE-1)",
            "Pass the last page's cursor unchanged, or None to start",
        )
    return tuple(parts)
