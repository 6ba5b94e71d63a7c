"""Run in an environment that holds the wheel without extras: `installed_alone.py LUA_SOURCES`.

What the wheel puts into site-packages, and what works without any other package.
"""

from __future__ import annotations

import sys
from importlib.metadata import distribution, distributions
from importlib.resources import files
from pathlib import Path, PurePosixPath

PACKAGES = {
    "echomq_conformance",
    "echomq_core",
    "echomq_lua",
    "echomq_memory",
    "echomq_valkey",
}


def check(expected: object, found: object, what: str) -> None:
    if expected != found:
        sys.exit(f"{what}: expected {expected!r}, found {found!r}")
    print(f"{what}: ok")


def check_files(lua_sources: Path) -> None:
    installed = [PurePosixPath(str(path)) for path in distribution("echomq").files or ()]
    roots = {path.parts[0] for path in installed if path.parts[0] != ".."}
    info = {root for root in roots if root.endswith(".dist-info")}
    check(1, len(info), "one dist-info")
    check(PACKAGES, roots - info, "top-level names")
    marked = {path.parts[0] for path in installed if path.name == "py.typed"}
    check(PACKAGES, marked, "py.typed in each package")
    shipped = {str(path.relative_to("echomq_lua")) for path in installed if path.suffix == ".lua"}
    written = {path.relative_to(lua_sources).as_posix() for path in lua_sources.rglob("*.lua")}
    check(written, shipped, f"{len(written)} Lua files")
    strays = [
        str(path) for path in installed if path.parts[0] in PACKAGES and "tests" in path.parts
    ]
    check([], strays, "no tests inside")


def check_behaviour() -> None:
    import echomq_lua

    from echomq_core import MissingExtra, known_schemes, open_backend

    print("schemes:", ", ".join(known_schemes()))
    with open_backend("memory://") as backend:
        backend.enqueue("q", "g", b"payload")
        job = backend.claim("q", 1_000)
        assert job
        check(b"payload", job.payload, "memory:// serves")
        check("completed", str(backend.complete("q", job.id, job.token)), "memory:// completes")
    for scheme in known_schemes():
        if scheme == "memory":
            continue
        extra = "embedded" if scheme.startswith("embedded") else "valkey"
        try:
            open_backend(f"{scheme}://localhost")
        except MissingExtra as missing:
            check(extra, missing.extra, f"{scheme}:// names the missing extra")
        else:
            sys.exit(f"{scheme}:// opened without its packages")
    for name in echomq_lua.names():
        check(True, echomq_lua.load(name).startswith("#!lua"), f"script {name}")
    check(True, files("echomq_lua").joinpath("claim.lua").is_file(), "scripts are package data")


def main(lua_sources: str) -> None:
    others = {str(found.metadata["Name"]).lower() for found in distributions()}
    check({"echomq"}, others - {"pip", "setuptools", "wheel"}, "nothing else is installed")
    check_files(Path(lua_sources))
    check_behaviour()


if __name__ == "__main__":
    main(*sys.argv[1:])
