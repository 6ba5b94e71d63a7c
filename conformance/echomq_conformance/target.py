"""What a backend author hands to the kit: one value that says how to open and disturb the backend.

Nothing is subclassed. A function without arguments that answers a `Target` is found through the
entry-point group `echomq.targets`, or named as `package.module:function`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field, replace
from importlib import import_module
from importlib.metadata import entry_points
from typing import Protocol

from echomq_core import AsyncBackend, Backend

__all__ = [
    "PROFILES",
    "Clock",
    "Probe",
    "Target",
    "TargetError",
    "available_targets",
    "find_target",
    "target_names",
]

GROUP = "echomq.targets"

PROFILES = (
    "core",
    "control",
    "bulk",
    "wake",
    "async",
    "concurrent",
    "durable",
    "wire",
    "cluster",
)
"""Every profile, named after what it asks of a backend, never after a product."""


class Clock(Protocol):
    """A clock that the kit moves; `echomq_memory.ManualClock` is one."""

    def now_ms(self) -> int: ...

    def advance(self, ms: int) -> None: ...


Probe = Callable[..., object]
"""A back door to raw state: for the `wire` profile `probe(command, *args)` answers the raw reply."""


@dataclass(frozen=True, slots=True)
class Target:
    """A backend under test.

    `claims`: the profiles that it is to be judged by. `open` and `open_async` each answer a context
    manager that gives one backend; at least one is there. A run opens one of them, once, and uses
    the other functions only while it is open, so a store may be started there.
    `lose_row(queue, job_id)` deletes a job's row behind the backend's back and leaves its entries
    (GHOST-1).

    `advance(queue, ms)`: let `ms` pass for one queue of a store that has its own clock, by moving
    its lease deadlines and due times `ms` into the past. `None` for a backend that reads the clock
    handed to `open`; that clock is `None` for all others.

    `peer()`, `peer_async()`: while the target is open, a function without arguments that opens one
    more backend over the same store, as a client with a connection of its own would. A target that
    claims `durable` is also used from other processes, so what these answer must pickle.

    `client`: the client library and its version, for the report. `found_as`: the name under which
    `find_target` found it; nobody else sets it.
    """

    name: str
    version: str
    claims: frozenset[str]
    lose_row: Callable[[str, str], None]
    open: Callable[[Clock | None], AbstractContextManager[Backend]] | None = None
    open_async: Callable[[Clock | None], AbstractAsyncContextManager[AsyncBackend]] | None = None
    advance: Callable[[str, int], None] | None = None
    faults: Mapping[str, Callable[..., object]] = field(default_factory=dict)
    probe: Probe | None = None
    peer: Callable[[], Callable[[], AbstractContextManager[Backend]]] | None = None
    peer_async: Callable[[], Callable[[], AbstractAsyncContextManager[AsyncBackend]]] | None = None
    client: str = ""
    found_as: str = ""

    @property
    def address(self) -> str:
        """What `find_target` finds it by: a registered name, or `package.module:function`."""
        return self.found_as or self.name

    def __post_init__(self) -> None:
        unknown = sorted(self.claims - set(PROFILES))
        if unknown:
            raise TargetError(f"{self.name} claims {unknown}; profiles are {', '.join(PROFILES)}")
        if self.open is None and self.open_async is None:
            raise TargetError(f"{self.name} opens neither a sync nor an async backend")
        if "async" in self.claims and self.open_async is None:
            raise TargetError(f"{self.name} claims 'async' and has no open_async")
        if "durable" in self.claims and self.peer is None and self.peer_async is None:
            raise TargetError(
                f"{self.name} claims 'durable' and has no peer, so no other process can reach it"
            )
        if "core" not in self.claims:
            raise TargetError(f"{self.name} does not claim 'core', which no backend may leave out")


class TargetError(ValueError):
    """A target that cannot be found, opened or judged; the message says what to change."""


def target_names() -> tuple[str, ...]:
    """The names of all registered targets, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def available_targets() -> tuple[list[str], dict[str, str]]:
    """The registered targets that can be made here, and why each of the others cannot."""
    names, left_out = [], {}
    for name in target_names():
        try:
            find_target(name)
        except TargetError as reason:
            left_out[name] = str(reason)
        else:
            names.append(name)
    return names, left_out


def find_target(name: str) -> Target:
    """The target registered under `name`, or named as `package.module:function`."""
    if ":" in name:
        module, _, attribute = name.partition(":")
        try:
            make = getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as missing:
            raise TargetError(f"cannot load target {name!r}: {missing}") from missing
    else:
        points = entry_points(group=GROUP, name=name)
        if not points:
            known = ", ".join(target_names()) or "none"
            raise TargetError(f"no target {name!r}; registered: {known}; or use module:function")
        try:
            make = next(iter(points)).load()
        except (ImportError, AttributeError) as missing:
            raise TargetError(f"cannot load target {name!r}: {missing}") from missing
    target = make if isinstance(make, Target) else make()
    if not isinstance(target, Target):
        raise TargetError(f"{name!r} answered {type(target).__name__}, not a Target")
    return replace(target, found_as=name)
