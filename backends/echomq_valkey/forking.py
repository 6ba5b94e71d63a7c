"""After a fork: what another thread of the parent held at that moment is nobody's in the child."""

from __future__ import annotations

import os
import weakref
from typing import Protocol

__all__ = ["Renewed", "renew_in_child"]


class Renewed(Protocol):
    """Something with locks that a forked child must have anew."""

    def renew(self) -> None:
        """Replace the locks."""


_alive: weakref.WeakSet[Renewed] = weakref.WeakSet()


def renew_in_child(something: Renewed) -> None:
    """Have `something.renew()` called in every forked child, while it lives."""
    _alive.add(something)


def _renew_all() -> None:
    for something in tuple(_alive):
        something.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
