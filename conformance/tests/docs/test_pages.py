"""Every link leads somewhere, every page is reached, and every command that is named exists."""

from __future__ import annotations

import re
from pathlib import PurePosixPath

import pytest

from .pages import PAGES, ROOT, anchors, blocks, links, text

ONE_LINE = (
    "python3 -m venv .venv && .venv/bin/python -m pip install -q nox "
    "&& .venv/bin/python -m nox -s {}"
)


def resolved(page: str, target: str) -> tuple[str, str]:
    """The path from the root that a relative link means, and its anchor."""
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    absolute = (ROOT / PurePosixPath(page).parent / path).resolve()
    return absolute.relative_to(ROOT.resolve()).as_posix(), anchor


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files_and_headings_that_exist(page: str) -> None:
    broken = []
    for target in links(page):
        if target.startswith("https://"):
            continue
        path, anchor = resolved(page, target)
        found = (ROOT / path).exists()
        if not found or (anchor and anchor not in anchors(path)):
            broken.append(target)
    assert broken == []


def test_every_page_is_reached_from_the_readme() -> None:
    reached: set[str] = set()
    waiting = ["README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or not page.endswith(".md"):
            continue
        reached.add(page)
        local = [target for target in links(page) if not target.startswith("https://")]
        waiting += [resolved(page, target)[0] for target in local]
    assert set(PAGES) - reached == set()


@pytest.mark.parametrize("page", PAGES)
def test_nox_sessions_that_are_named_exist(page: str) -> None:
    sessions = set(re.findall(r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text(), re.M))
    assert set(re.findall(r"nox -s (\w+)", text(page))) <= sessions


@pytest.mark.parametrize("session", ["conformance", "tests"])
def test_readme_has_one_line_for_each_of_the_two_commands(session: str) -> None:
    lines = [line for block in blocks("README.md", "sh") for line in block.splitlines()]
    assert lines.count(ONE_LINE.format(session)) == 1
