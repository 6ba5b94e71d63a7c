"""`python -m echomq_conformance new NAME`: the beginning of a backend package.

What it writes installs, opens and runs the suite at once; every verb raises `NotImplementedError`
with the clause that says what it does.
"""

from __future__ import annotations

import argparse
import re
import sys
from importlib.resources import files
from pathlib import Path
from string import Template

__all__ = ["ScaffoldError", "add_arguments", "main", "new_backend"]

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")

_FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/{module}/__init__.py": "init.py",
    "src/{module}/backend.py": "backend.py",
    "src/{module}/verbs.py": "verbs.py",
    "src/{module}/target.py": "target.py",
    "tests/test_conformance.py": "test_conformance.py",
}
"""Path in the new package → its template."""


class ScaffoldError(ValueError):
    """The package cannot be written; the message says what to change."""


def new_backend(name: str, folder: Path) -> Path:
    """Write the package `echomq-<name>` below `folder`; its path. Nothing is overwritten.

    `name` is the URL scheme and the target's name: lower-case words of letters and digits, joined
    by hyphens. Raises `ScaffoldError`.
    """
    if not _NAME.fullmatch(name):
        raise ScaffoldError(
            f"{name!r} is no name for a backend: take lower-case letters and digits, and hyphens"
            " between words, such as 'postgres' or 'my-store'"
        )
    project = f"echomq-{name}"
    module = project.replace("-", "_")
    cls = "".join(word.capitalize() for word in name.split("-")) + "Backend"
    root = folder / project
    if root.exists():
        raise ScaffoldError(f"{root} is there already: choose another name, or --path")
    names = {"name": name, "project": project, "module": module, "cls": cls}
    templates = files("echomq_conformance") / "template"
    for path, template in _FILES.items():
        text = (templates / f"{template}.txt").read_text("utf-8")
        target = root / path.format(module=module)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(Template(text).substitute(names), "utf-8")
    (root / "src" / module / "py.typed").touch()
    return root


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of the command `new`."""
    parser.add_argument("name", metavar="NAME", help="the URL scheme, such as postgres")
    parser.add_argument(
        "--path", type=Path, default=Path(), metavar="DIR", help="where (default: here)"
    )


def main(options: argparse.Namespace) -> int:
    """Carry out the command `new`; answers the exit code."""
    try:
        root = new_backend(options.name, options.path)
    except (ScaffoldError, OSError) as error:
        print(f"echomq_conformance: {error}", file=sys.stderr)
        return 1
    print(f"wrote {root}\nnext: pip install -e '{root}[tests]' && pytest {root}")
    return 0
