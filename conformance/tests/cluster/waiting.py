"""Polling with a bound."""

from __future__ import annotations

import time
from collections.abc import Callable

__all__ = ["until"]


def until(holds: Callable[[], object], what: str, within_s: float = 20.0) -> None:
    """Poll until something holds; fail with `what` when it does not in time."""
    end = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < end, f"not within {within_s} s: {what}"
        time.sleep(0.005)
