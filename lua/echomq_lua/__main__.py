"""`python -m echomq_lua FOLDER`: write every script, includes spliced, for tools and other languages."""

from __future__ import annotations

import sys
from pathlib import Path

from . import load, names


def main(folder: str) -> None:
    """Write `<verb>.lua` files; the folder is made if it is not there."""
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for name in names():
        (target / f"{name}.lua").write_text(load(name), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m echomq_lua FOLDER")
    main(sys.argv[1])
