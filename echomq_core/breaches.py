"""The breaches that `fsck` reports, in one wording and one order for every backend (VERB-fsck)."""

from __future__ import annotations

from collections.abc import Iterable

from .values import Breach, JobState

__all__ = [
    "ghost_entry",
    "in_order",
    "lost_row",
    "ring_membership",
    "unusable_setting",
    "wrong_book",
    "zero_book",
]


def ghost_entry(key: str, group: str | None, job_id: str, *, repaired: bool) -> Breach:
    """An entry whose row does not say so; mended by dropping it."""
    return Breach("GHOST-1", key, group, job_id, "entry without its row", "no entry", repaired)


def lost_row(key: str, group: str | None, job_id: str, state: str, *, repaired: bool) -> Breach:
    """A row that stands nowhere; mended by an entry in `dead` if it says dead, else in its lane."""
    expected = "an entry in dead" if state == JobState.DEAD else "an entry in its lane"
    return Breach("STATE-1", key, group, job_id, f"row says {state}, no entry", expected, repaired)


def wrong_book(key: str, group: str, found: str, true_count: int, *, repaired: bool) -> Breach:
    """A count in flight that is not what `active` holds; mended by the recount."""
    return Breach("BOOK-1", key, group, None, found, str(true_count), repaired)


def zero_book(key: str, group: str, *, repaired: bool) -> Breach:
    """A count of zero, which has no field; mended by dropping it."""
    return Breach("KEYS-6", key, group, None, "0", "no field", repaired)


def ring_membership(key: str, group: str, times: int, right: int, *, repaired: bool) -> Breach:
    """A lane that is on the ring though not serviceable, or not exactly once though it is."""
    found = "absent" if times == 0 else f"{times} times"
    return Breach("RING-1", key, group, None, found, "once" if right else "absent", repaired)


def unusable_setting(key: str, group: str, text: str, *, repaired: bool) -> Breach:
    """A stored limit or weight that counts as absent; mended by dropping it."""
    return Breach("SETTING-1", key, group, None, text, "a positive integer", repaired)


def in_order(breaches: Iterable[Breach]) -> list[Breach]:
    """By clause, key, group, id."""
    return sorted(breaches, key=lambda b: (b.clause, b.key, b.group or "", b.job_id or ""))
