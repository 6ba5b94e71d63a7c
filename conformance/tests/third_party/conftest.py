"""Wheels of the kit and of the example, and environments to put them into."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .workshop import NEEDS, ROOT, Workshop


@pytest.fixture(scope="session")
def builder(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """An environment that can build wheels. Without a package index there is none; on CI there is."""
    workshop = Workshop.made_in(tmp_path_factory.mktemp("builder"))
    found = workshop.run("python", "-m", "pip", "install", "-q", *NEEDS)
    if found.returncode != 0:
        told = found.stdout.strip().splitlines()[-1:]
        if os.environ.get("CI"):
            pytest.fail(f"no package index on CI: {told}")
        pytest.skip(f"no package index can be reached: {told}")
    return workshop


@pytest.fixture(scope="session")
def kit_wheel(builder: Workshop) -> Path:
    return builder.wheel(ROOT)


@pytest.fixture(scope="session")
def stranger(
    builder: Workshop, kit_wheel: Path, tmp_path_factory: pytest.TempPathFactory
) -> Workshop:
    """The installed kit, and the SQLite example installed as a package of its own."""
    workshop = Workshop.made_in(tmp_path_factory.mktemp("stranger"))
    example = builder.wheel(ROOT / "examples" / "echomq-sqlite")
    workshop.install(f"{kit_wheel}[conformance]", str(example))
    return workshop


@pytest.fixture(scope="session")
def newcomer(kit_wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """The installed kit and nothing else."""
    workshop = Workshop.made_in(tmp_path_factory.mktemp("newcomer"))
    workshop.install(f"{kit_wheel}[conformance]")
    return workshop
