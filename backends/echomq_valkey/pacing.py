"""How a refusal that will pass is followed up: when to ask again, and when to stop (CONN-2)."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

__all__ = ["FOLLOW_UP_S", "pauses"]

FOLLOW_UP_S = 5.0
"""How long a verb follows up refusals that prove that it did not run, in total."""

FIRST_PAUSE_S = 0.01
LONGEST_PAUSE_S = 0.5


def pauses(
    within_s: float = FOLLOW_UP_S,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random.random,
) -> Iterator[float]:
    """Pauses in seconds, doubling and jittered to between half and all of it, until the time is up.

    The time counts from the first pause asked for, by `clock`; no pause goes beyond its end.
    """
    end = clock() + within_s
    pause = FIRST_PAUSE_S
    while (left := end - clock()) > 0:
        yield min(left, pause * (0.5 + jitter() / 2))
        pause = min(pause * 2, LONGEST_PAUSE_S)
