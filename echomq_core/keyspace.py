"""Names of keys and their cluster slot: the wire (KEYS-1). Nothing else builds a key name."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["VERSION_KEY", "Keyspace", "slot_of"]

VERSION_KEY = "{emq}:version"

SLOTS = 16_384


def _crc16_table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte << 8
        for _ in range(8):
            crc = (crc << 1) ^ 0x1021 if crc & 0x8000 else crc << 1
        table.append(crc & 0xFFFF)
    return tuple(table)


_TABLE = _crc16_table()


def slot_of(key: str | bytes) -> int:
    """The cluster slot of a key: CRC16 (XMODEM) of its hash tag, modulo 16,384.

    The hash tag is what stands between the first `{` and the next `}`, if that is not empty;
    else the whole key counts. `slot_of("123456789") == 12739`.
    """
    raw = key.encode() if isinstance(key, str) else key
    start = raw.find(b"{")
    if start >= 0:
        end = raw.find(b"}", start + 1)
        if end > start + 1:
            raw = raw[start + 1 : end]
    crc = 0
    for byte in raw:
        crc = ((crc << 8) & 0xFFFF) ^ _TABLE[(crc >> 8) ^ byte]
    return crc % SLOTS


@dataclass(frozen=True, slots=True)
class Keyspace:
    """Every key of one queue; all share the hash tag `{queue}` and so one slot (KEYS-1)."""

    queue: str

    @property
    def base(self) -> str:
        """The declared base key, from which scripts build the others; never created (KEYS-2)."""
        return f"emq:{{{self.queue}}}:"

    @property
    def ring(self) -> str:
        return self.base + "ring"

    @property
    def active(self) -> str:
        return self.base + "active"

    @property
    def schedule(self) -> str:
        return self.base + "schedule"

    @property
    def dead(self) -> str:
        return self.base + "dead"

    @property
    def in_flight(self) -> str:
        return self.base + "gactive"

    @property
    def limits(self) -> str:
        return self.base + "glimit"

    @property
    def weights(self) -> str:
        return self.base + "gweight"

    @property
    def paused(self) -> str:
        return self.base + "paused"

    @property
    def meta(self) -> str:
        return self.base + "meta"

    @property
    def wake(self) -> str:
        return self.base + "wake"

    @property
    def completed(self) -> str:
        return self.base + "metrics:completed"

    @property
    def failed(self) -> str:
        return self.base + "metrics:failed"

    @property
    def flat(self) -> str:
        """Pending jobs without a group, from foreign workers; never served here."""
        return self.base + "pending"

    def lane(self, group: str) -> str:
        return f"{self.base}g:{group}:pending"

    def job(self, job_id: str) -> str:
        return f"{self.base}job:{job_id}"

    def slot(self) -> int:
        return slot_of(self.base)
