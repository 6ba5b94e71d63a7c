"""Cursors of paged reads: the read's name and the last item seen, as opaque text.

Keyset, so that a page goes on rightly while the queue changes; only `ring`, which turns anyway,
goes by offset.
"""

from __future__ import annotations

import json

from echomq_core import InvalidArgument

__all__ = ["count_after", "cursor_at", "names_after", "timed_after"]


def cursor_at(read: str, *last: str | int) -> str:
    return json.dumps([read, *last])


def names_after(read: str, cursor: str | None, *, names: int) -> tuple[str, ...] | None:
    """The `names` names in a cursor of this read; `None` at the start. Raises `InvalidArgument`."""
    if cursor is None:
        return None
    last = _parsed(read, cursor)
    if len(last) != names or not all(isinstance(name, str) for name in last):
        raise _refusal(read, cursor)
    return tuple(str(name) for name in last)


def timed_after(read: str, cursor: str | None) -> tuple[int, str] | None:
    """The (time, id) in a cursor of this read; `None` at the start. Raises `InvalidArgument`."""
    if cursor is None:
        return None
    match _parsed(read, cursor):
        case [int(time_ms), str(job_id)] if not isinstance(time_ms, bool):
            return time_ms, job_id
    raise _refusal(read, cursor)


def count_after(read: str, cursor: str | None) -> int:
    """The offset in a cursor of this read; 0 at the start. Raises `InvalidArgument`."""
    if cursor is None:
        return 0
    match _parsed(read, cursor):
        case [int(offset)] if not isinstance(offset, bool) and offset >= 0:
            return offset
    raise _refusal(read, cursor)


def _parsed(read: str, cursor: str) -> list[object]:
    try:
        parsed = json.loads(cursor)
    except (ValueError, RecursionError) as broken:
        raise _refusal(read, cursor) from broken
    if not isinstance(parsed, list) or not parsed or parsed[0] != read:
        raise _refusal(read, cursor)
    return parsed[1:]


def _refusal(read: str, cursor: str) -> InvalidArgument:
    return InvalidArgument(
        "cursor",
        cursor,
        f"this is no cursor of {read}",
        "Pass Page.cursor of the last page of the same read, or None to start",
    )
