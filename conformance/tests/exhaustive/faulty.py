"""The memory backend with one line changed, as a package of its own beside the real one."""

from __future__ import annotations

import importlib
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import echomq_memory
from echomq_conformance.target import Clock, Target

from echomq_core import Backend

__all__ = ["Edit", "faulty_memory", "target_of"]


@dataclass(frozen=True, slots=True)
class Edit:
    """`old` occurs once in `file` and becomes `new`; the first fault that is found names `clause`."""

    name: str
    file: str
    old: str
    new: str
    clauses: tuple[str, ...]

    def apply(self, text: str) -> str:
        assert text.count(self.old) == 1, f"{self.name}: the line to change is not there once"
        return text.replace(self.old, self.new)


@contextmanager
def faulty_memory(edit: Edit, folder: Path) -> Iterator[ModuleType]:
    """The changed package, importable while the context lasts."""
    name = "faulty_memory_" + edit.name
    copy = folder / name
    shutil.copytree(Path(echomq_memory.__file__).parent, copy)
    changed = copy / edit.file
    changed.write_text(edit.apply(changed.read_text()))
    sys.path.insert(0, str(folder))
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
        for module in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
            del sys.modules[module]


def target_of(package: ModuleType) -> Target:
    """A target for the changed backend, sync, with every verb."""
    stores = []

    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Backend]:
        stores.append(package.Store(clock))
        with package.MemoryBackend(store=stores[-1]) as backend:
            yield backend

    def lose_row(queue: str, job_id: str) -> None:
        stores[-1].lose_row(queue, job_id)

    return Target(
        package.__name__,
        "changed",
        frozenset({"core", "control", "bulk", "wake"}),
        lose_row,
        open=opened,
    )
