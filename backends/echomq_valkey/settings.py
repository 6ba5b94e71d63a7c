"""What a backend was told besides its client, checked."""

from __future__ import annotations

from dataclasses import dataclass

from echomq_core import checks

from .conversation import Replicas
from .fence import check_wire_version

__all__ = ["Settings"]

MOST_REPLICAS = 1_000


@dataclass(frozen=True, slots=True)
class Settings:
    """Raises `InvalidArgument`. A `wait_ms` of 0 would wait for ever on the server: refused."""

    wire_version: str | None
    wait_replicas: int
    wait_ms: int

    def __post_init__(self) -> None:
        check_wire_version(self.wire_version)
        checks.check_count(self.wait_replicas, "wait_replicas", low=0, high=MOST_REPLICAS)
        checks.check_duration_ms(self.wait_ms, "wait_ms", low=1)

    @property
    def replicas(self) -> Replicas | None:
        return Replicas(self.wait_replicas, self.wait_ms) if self.wait_replicas else None
