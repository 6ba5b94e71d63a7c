"""Branded job ids: the codec and the mint (KEYS-4).

An id is three upper-case letters and 11 base62 digits of a 63-bit number: 41 bits of milliseconds
since 2024-01-01T00:00:00Z, 10 bits of node, 12 bits of sequence. Byte order is numeric order, so
a lane serves its jobs in mint order.
"""

from __future__ import annotations

import os
import secrets
import threading
import time
from collections.abc import Callable

__all__ = ["Mint", "decode_id", "encode_id", "is_job_id", "mint_job_id", "minted_at_ms"]

EPOCH_MS = 1_704_067_200_000
NODE_BITS = 10
SEQUENCE_BITS = 12
MAX_NUMBER = 2**63 - 1

_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_VALUES = {digit: value for value, digit in enumerate(_DIGITS)}
_WIDTH = 11
_LARGEST = "AzL8n0Y58m7"


def encode_id(brand: str, number: int) -> str:
    """The branded id of a number in 0…2^63−1. Raises `ValueError` outside of it (KEYS-4)."""
    if len(brand) != 3 or not (brand.isascii() and brand.isalpha() and brand.isupper()):
        raise ValueError(f"brand {brand!r} is not three upper-case ASCII letters")
    if not 0 <= number <= MAX_NUMBER:
        raise ValueError(f"{number} is outside 0..2**63-1")
    digits = []
    for _ in range(_WIDTH):
        number, value = divmod(number, 62)
        digits.append(_DIGITS[value])
    return brand + "".join(reversed(digits))


def decode_id(branded: str) -> int:
    """The number in a branded id. Raises `ValueError` if it is none (KEYS-4)."""
    if not _is_branded(branded):
        raise ValueError(f"{branded!r} is no branded id")
    number = 0
    for digit in branded[3:]:
        number = number * 62 + _VALUES[digit]
    return number


def is_job_id(text: str) -> bool:
    """Whether `text` is a well-formed `JOB` id."""
    return text.startswith("JOB") and _is_branded(text)


def minted_at_ms(job_id: str) -> int | None:
    """Unix ms of the mint that an id carries, by its producer's clock; `None` if it is no branded id."""
    if not _is_branded(job_id):
        return None
    return (decode_id(job_id) >> (NODE_BITS + SEQUENCE_BITS)) + EPOCH_MS


def _is_branded(text: str) -> bool:
    if len(text) != 3 + _WIDTH or not text.isascii():
        return False
    brand, digits = text[:3], text[3:]
    return brand.isalpha() and brand.isupper() and digits.isalnum() and digits <= _LARGEST


class Mint:
    """A source of strictly increasing `JOB` ids, safe under threads and across forks (KEYS-4).

    Node and first sequence are random; a burst beyond 4,096 ids a millisecond borrows from the
    next one, and a clock that steps back keeps counting.
    """

    def __init__(self, now_ms: Callable[[], int] = lambda: time.time_ns() // 1_000_000) -> None:
        self._now_ms = now_ms
        self._reseed()

    def _reseed(self) -> None:
        self._lock = threading.Lock()
        self._node = secrets.randbelow(2**NODE_BITS)
        self._last = -1
        self._first_sequence = secrets.randbelow(2**SEQUENCE_BITS)

    def mint(self) -> str:
        """The next id: larger than every one before it from this mint."""
        with self._lock:
            # Counted in (ms << 12 | sequence): adding one to the last carries into the next ms.
            floor = (self._now_ms() - EPOCH_MS) << SEQUENCE_BITS
            if self._last < 0:
                floor |= self._first_sequence
            self._last = max(floor, self._last + 1, 0)
            ms, sequence = divmod(self._last, 2**SEQUENCE_BITS)
        number = (ms << NODE_BITS | self._node) << SEQUENCE_BITS | sequence
        return encode_id("JOB", number)


_process_mint = Mint()

# A forked child would otherwise repeat its parent's ids; the lock is replaced too, since another
# thread may have held it at the moment of the fork.
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_process_mint._reseed)


def mint_job_id() -> str:
    """A new job id, from the real clock, strictly increasing within this process (KEYS-4)."""
    return _process_mint.mint()
