"""The pages of README and docs, and what is in them."""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["PAGES", "ROOT", "anchors", "blocks", "links", "text"]

ROOT = Path(__file__).parents[3]
PAGES = tuple(
    sorted(
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md"))
    )
)
_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def text(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a language, in order."""
    return [body for tag, body in _FENCE.findall(text(page)) if tag == language]


def links(page: str) -> list[str]:
    """The targets of its links."""
    return re.findall(r"\]\(([^)\s]+)\)", _FENCE.sub("", text(page)))


def anchors(page: str) -> set[str]:
    """What can stand behind `#` for this page: its headings as slugs, and named anchors."""
    found: set[str] = set(re.findall(r'<a (?:id|name)="([^"]+)"', text(page)))
    for heading in re.findall(r"^#{1,6} (.+)$", _FENCE.sub("", text(page)), re.MULTILINE):
        plain = re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-")
        slug, number = plain, 0
        while slug in found:
            number += 1
            slug = f"{plain}-{number}"
        found.add(slug)
    return found
