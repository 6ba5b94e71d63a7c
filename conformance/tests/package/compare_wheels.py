"""Two wheels must hold the same files with the same bytes: `compare_wheels.py A B`."""

from __future__ import annotations

import sys
from zipfile import ZipFile


def contents(path: str) -> dict[str, bytes]:
    with ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


def main(first: str, second: str) -> None:
    one, other = contents(first), contents(second)
    differing = sorted(
        name for name in one.keys() | other.keys() if one.get(name) != other.get(name)
    )
    if differing:
        sys.exit(f"{first} and {second} differ in: {', '.join(differing)}")
    print(f"the wheel from the sdist equals the wheel from the tree: {len(one)} files")


if __name__ == "__main__":
    main(*sys.argv[1:])
