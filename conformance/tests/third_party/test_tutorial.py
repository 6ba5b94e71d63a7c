"""The commands of the tutorial, in its order, in an environment that has the installed kit."""

from __future__ import annotations

import re
import shutil

import pytest

from .workshop import ROOT, Workshop

TUTORIAL = ROOT / "docs" / "tutorial" / "write-a-backend.md"
EXAMPLE = ROOT / "examples" / "echomq-sqlite"


def _commands(block: int) -> list[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines that the page shows of its output."""
    consoles = re.findall(r"^```console\n(.*?)^```$", TUTORIAL.read_text("utf-8"), re.M | re.S)
    found: list[tuple[str, list[str]]] = []
    for line in consoles[block].splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def _perform(workshop: Workshop, command: str, shown: list[str], codes: set[int]) -> None:
    found = workshop.run("bash", "-c", command)
    assert found.returncode in codes, f"{command}\n{found.stdout[-8_000:]}"
    for line in shown:
        assert line in found.stdout, f"{command}\n{line!r} is not in\n{found.stdout[-8_000:]}"


@pytest.fixture(scope="module")
def begun(newcomer: Workshop) -> Workshop:
    """The first block: a new package whose run is red and names what to write."""
    for command, shown in _commands(0):
        _perform(newcomer, command, shown, {1} if " run " in command else {0})
    return newcomer


def test_a_new_package_fails_with_the_clause_of_what_is_not_written(begun: Workshop) -> None:
    found = begun.run("python", "-m", "pytest", "-q", "-x", "echomq-sqlite")
    assert found.returncode == 1, found.stdout
    first = next(line for line in found.stdout.splitlines() if line.startswith("E "))
    assert re.search(r"[A-Z]+-\w+: (failed|partial|not exercised)", first), first
    whole = begun.run("python", "-m", "pytest", "-q", "echomq-sqlite", "-k", "nothing_failed")
    assert "VERB-snapshot: the whole queue in one consistent read" in whole.stdout


def test_with_the_examples_modules_in_it_the_core_profile_is_green(begun: Workshop) -> None:
    """What the page leads to is the example: its modules, in the package that `new` wrote, with the
    claim that is in there so far."""
    module = begun.folder / "echomq-sqlite" / "src" / "echomq_sqlite"
    shutil.rmtree(module)
    shutil.copytree(EXAMPLE / "src" / "echomq_sqlite", module)
    target = module / "target.py"
    whole = 'claims=frozenset({"core", "bulk", "concurrent", "durable"})'
    assert whole in target.read_text("utf-8")
    target.write_text(target.read_text("utf-8").replace(whole, 'claims=frozenset({"core"})'))
    commands = _commands(1)
    assert [command for command, _ in commands if " run " in command]
    for command, shown in commands:
        _perform(begun, command, shown, {0})
