"""Cursors of paged reads: the read's name and the last item seen, as opaque text (PAGE-1).

Keyset, so that a page goes on rightly while the queue changes; only `ring`, which turns anyway,
goes by offset.
"""

from __future__ import annotations

import base64
import json

from .errors import InvalidArgument

__all__ = ["decode_cursor", "encode_cursor"]


def encode_cursor(read: str, *last: str | int) -> str:
    """The cursor by which `read` goes on after these."""
    return base64.urlsafe_b64encode(json.dumps([read, *last]).encode()).decode()


def decode_cursor(read: str, cursor: str | None, *kinds: type) -> tuple[str | int, ...] | None:
    """What `encode_cursor` was given by the same read, `None` at the start.

    Raises `InvalidArgument` for anything else; a number is never negative.
    """
    if cursor is None:
        return None
    try:
        last = json.loads(base64.urlsafe_b64decode(cursor.encode("ascii")))
    except (ValueError, RecursionError):
        last = None
    if (
        not isinstance(last, list)
        or last[:1] != [read]
        or [type(part) for part in last[1:]] != list(kinds)
        or any(isinstance(part, int) and part < 0 for part in last)
    ):
        raise InvalidArgument(
            "cursor",
            cursor,
            f"this is no cursor of {read} (PAGE-1)",
            "Pass Page.cursor of the last page of the same read unchanged, or None to start",
        )
    return tuple(last[1:])
