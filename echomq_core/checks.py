"""Argument checks: every argument is refused here, before the wire, or is right (spec, "Arguments").

Each check returns nothing or raises `InvalidArgument`, which names argument, value, rule, remedy.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import TypeVar

from .errors import InvalidArgument
from .ids import is_job_id

__all__ = [
    "MAX_CLAIM",
    "MAX_COUNT",
    "MAX_DURATION_MS",
    "MAX_ERROR_BYTES",
    "MAX_PAYLOAD_BYTES",
    "MAX_SNAPSHOT_JOBS",
    "check_any_id",
    "check_count",
    "check_cursor",
    "check_duration_ms",
    "check_error",
    "check_flag",
    "check_group",
    "check_job_id",
    "check_payload",
    "check_queue",
    "collected",
    "cut_error",
]

MAX_DURATION_MS = 10**12
MAX_COUNT = 2**53 - 1
MAX_CLAIM = 1_000
MAX_SNAPSHOT_JOBS = 10_000
MAX_GROUP_BYTES = 256
MAX_PAYLOAD_BYTES = 512 * 1024 * 1024 - 1024
MAX_ERROR_BYTES = 4_096

T = TypeVar("T")

_QUEUE = re.compile(r"[A-Za-z0-9._-]{1,128}")


def check_queue(value: object, argument: str = "queue") -> None:
    """KEYS-3: `[A-Za-z0-9._-]{1,128}`, and not `emq`."""
    if not isinstance(value, str):
        raise InvalidArgument(argument, value, "a queue name is a str (KEYS-3)", "Pass a str")
    if not _QUEUE.fullmatch(value):
        raise InvalidArgument(
            argument,
            value,
            "a queue name is 1 to 128 of A-Z a-z 0-9 . _ - (KEYS-3)",
            "Rename the queue; put free text into the group or the payload",
        )
    if value == "emq":
        raise InvalidArgument(
            argument, value, "the queue name 'emq' is reserved (KEYS-3)", "Choose another name"
        )


def check_group(value: object, argument: str = "group") -> None:
    """KEYS-3: 1 to 256 bytes of UTF-8, no control character, no lone surrogate."""
    _check_name(value, argument, "a group name", "KEYS-3")


def check_any_id(value: object, argument: str = "job_id") -> None:
    """An id as settling and reading verbs take it: whatever would do as a group name."""
    _check_name(value, argument, "a job id", "KEYS-4")


def _check_name(value: object, argument: str, what: str, clause: str) -> None:
    if not isinstance(value, str):
        raise InvalidArgument(argument, value, f"{what} is a str ({clause})", "Pass a str")
    if value.isascii() and value.isprintable() and 1 <= len(value) <= MAX_GROUP_BYTES:
        return
    try:
        size = len(value.encode("utf-8"))
    except UnicodeEncodeError:
        raise InvalidArgument(
            argument,
            value,
            f"{what} has no lone surrogate ({clause})",
            "Decode the text it came from as UTF-8, with errors='replace' if need be",
        ) from None
    if not 1 <= size <= MAX_GROUP_BYTES:
        raise InvalidArgument(
            argument,
            value,
            f"{what} is 1 to {MAX_GROUP_BYTES} bytes of UTF-8, this is {size} ({clause})",
            "Use a shorter key, such as the tenant's id" if size else "Pass a name",
        )
    for character in value:
        if unicodedata.category(character) == "Cc":
            raise InvalidArgument(
                argument,
                value,
                f"{what} has no control character, this has U+{ord(character):04X} ({clause})",
                "Remove or encode it",
            )


def check_job_id(value: object, argument: str = "job_id") -> None:
    """KEYS-4: `JOB` and 11 base62 digits, at most `JOBAzL8n0Y58m7`."""
    if not isinstance(value, str) or not is_job_id(value):
        raise InvalidArgument(
            argument,
            value,
            "an id to enqueue is 'JOB' and 11 base62 digits, up to 'JOBAzL8n0Y58m7' (KEYS-4)",
            "Leave job_id out, or take one from mint_job_id() or encode_id('JOB', n)",
        )


def check_payload(value: object, argument: str = "payload") -> None:
    """KEYS-5: `bytes` and nothing else, up to 512 MiB − 1 KiB."""
    if type(value) is not bytes:
        raise InvalidArgument(
            argument,
            value,
            f"a payload is bytes, this is {type(value).__name__} (KEYS-5)",
            "Encode it: text.encode(), json.dumps(x).encode(), bytes(buffer)",
        )
    if len(value) > MAX_PAYLOAD_BYTES:
        raise InvalidArgument(
            argument,
            value[:16],
            f"a payload is at most {MAX_PAYLOAD_BYTES} bytes, this is {len(value)} (KEYS-5)",
            "Store the body elsewhere and enqueue its address",
        )


def check_count(value: object, argument: str, *, low: int = 1, high: int = MAX_COUNT) -> None:
    """An integer in `low`…`high`; never a bool, float or text, never clamped."""
    if type(value) is not int:
        raise InvalidArgument(
            argument,
            value,
            f"{argument} is an int, this is {type(value).__name__}",
            f"Pass a whole number from {low} to {high}",
        )
    if not low <= value <= high:
        raise InvalidArgument(
            argument, value, f"{argument} is {low} to {high}", "Pass a number in that range"
        )


def check_duration_ms(value: object, argument: str, *, low: int) -> None:
    """Milliseconds in `low`…10^12."""
    check_count(value, argument, low=low, high=MAX_DURATION_MS)


def check_error(value: object, argument: str = "error") -> None:
    """The text of a failure; may be empty."""
    if not isinstance(value, str):
        raise InvalidArgument(
            argument,
            value,
            f"error is a str, this is {type(value).__name__}",
            "Pass str(exception), or '' for none",
        )


def cut_error(error: str) -> str:
    """`last_error` as stored: lone surrogates replaced, cut to 4,096 bytes at a character boundary."""
    raw = error.encode("utf-8", errors="replace")
    return raw[:MAX_ERROR_BYTES].decode("utf-8", errors="ignore")


def check_flag(value: object, argument: str) -> None:
    """A bool and nothing else."""
    if type(value) is not bool:
        raise InvalidArgument(argument, value, f"{argument} is a bool", "Pass True or False")


def check_cursor(value: object, argument: str = "cursor") -> None:
    """Opaque text from a `Page`, or `None`. What is inside is checked by the backend that made it."""
    if value is not None and not isinstance(value, str):
        raise InvalidArgument(
            argument,
            value,
            "a cursor is the text in Page.cursor, or None",
            "Pass the last page's cursor, or None to start",
        )


def collected(values: Iterable[T], argument: str) -> tuple[T, ...]:
    """The items of a bulk verb as a tuple; text and anything that does not iterate is refused."""
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InvalidArgument(
            argument,
            values,
            f"{argument} is an iterable of items, this is {type(values).__name__}",
            "Pass a list",
        )
    return tuple(values)
