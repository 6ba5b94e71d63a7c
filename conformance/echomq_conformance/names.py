"""Awkward but legal names and payloads, and the ids that the machine plays with."""

from __future__ import annotations

from echomq_core import encode_id

__all__ = ["GROUPS", "PAYLOADS", "UNKNOWN_ID", "job_ids"]

GROUPS = ("a", ":pending", "b:{q}:é", "🜁 g:a:pending")
"""Colons, braces, a space, other scripts, and names that look like parts of a key (KEYS-3)."""

PAYLOADS = (
    b"",
    b"\x00",
    b"a\x00b",
    b"\xff\xfe\x80",
    b"12",
    b"1e5",
    b"-0",
    b"nil",
    b"{1, 'x'}",
    b"\r\n$-1\r\n",
    "ä".encode(),
)
"""Empty, NUL, invalid UTF-8, number-like, Lua literals, protocol text (KEYS-5)."""

UNKNOWN_ID = encode_id("JOB", 2**62)
"""An id that the machine never admits."""

_GAPS = (1, 2, 61, 62, 63, 3_843, 3_844, 35, 36, 10, 2**60)


def job_ids(count: int) -> tuple[str, ...]:
    """Ids around the places where a digit of the codec turns, in no particular order."""
    return tuple(encode_id("JOB", number) for number in _GAPS[:count])
