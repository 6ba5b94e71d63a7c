"""Clocks that a memory store can run on (CLOCK-1)."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from echomq_core.checks import check_count

__all__ = ["Clock", "ManualClock", "SystemClock"]


class Clock(Protocol):
    """Unix time in ms."""

    def now_ms(self) -> int: ...


class SystemClock:
    """The clock of this machine."""

    def now_ms(self) -> int:
        return time.time_ns() // 1_000_000


class ManualClock:
    """A clock that stands still until it is advanced; safe under threads.

    For tests: leases expire and jobs fall due without sleeping. Parks still wait in real time.
    """

    def __init__(self, start_ms: int = 1_735_689_600_000) -> None:
        """`start_ms`: Unix time in ms, 2025-01-01T00:00:00Z unless given."""
        check_count(start_ms, "start_ms", low=0)
        self._now_ms = start_ms
        self._lock = threading.Lock()

    def now_ms(self) -> int:
        with self._lock:
            return self._now_ms

    def advance(self, ms: int) -> None:
        """Move on by `ms`, 0 or more."""
        check_count(ms, "ms", low=0)
        with self._lock:
            self._now_ms += ms
