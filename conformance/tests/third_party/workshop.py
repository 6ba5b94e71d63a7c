"""A stranger's environment: a Python with what was installed into it, outside of the checkout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

__all__ = ["ROOT", "Workshop"]

ROOT = Path(__file__).parents[3]
NEEDS = ("hatchling>=1.27", "pytest>=8", "hypothesis>=6.100")
"""What has to come from an index: to build the wheels, and to run the kit."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """A folder with a virtual environment in it. Commands run there and see nothing of ours."""

    folder: Path

    @classmethod
    def made_in(cls, folder: Path) -> Workshop:
        workshop = cls(folder)
        made = workshop.run(sys.executable, "-m", "venv", str(folder / "env"))
        assert made.returncode == 0, made.stderr
        return workshop

    @property
    def environment(self) -> Mapping[str, str]:
        """Ours without what would let the checkout in; the environment's programs first."""
        kept = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("PYTHON", "PYTEST", "COV_"))
        }
        programs = f"{self.folder / 'env' / 'bin'}{os.pathsep}{os.environ.get('PATH', '')}"
        return kept | {"PATH": programs, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}

    def run(self, *command: str, timeout_s: float = 300.0) -> subprocess.CompletedProcess[str]:
        """One command in the folder, errors told together with the output."""
        return subprocess.run(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            check=False,
        )

    def install(self, *requirements: str) -> None:
        found = self.run("python", "-m", "pip", "install", "-q", *requirements)
        assert found.returncode == 0, found.stdout

    def wheel(self, project: Path) -> Path:
        """The wheel of a project, built from a copy, so that nothing is left in the checkout."""
        copy = self.folder / "sources" / project.name
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns(".*", "node_modules", "dist"))
        target = self.folder / "dist" / project.name
        built = self.run(
            *("python", "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", str(target), str(copy)),
        )
        assert built.returncode == 0, built.stdout
        (wheel,) = target.glob("*.whl")
        return wheel
