"""Every Python snippet of README and docs runs, page by page, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from echomq_valkey import EmbeddedServer

from .pages import PAGES, blocks

LOCAL_SERVER = "valkey://localhost:6379/0"
WITH_SNIPPETS = [page for page in PAGES if blocks(page, "python")]


@pytest.mark.parametrize("page", WITH_SNIPPETS)
def test_snippets_of_a_page_run_in_order(page: str, tmp_path: Path) -> None:
    code = "\n".join(blocks(page, "python"))
    with EmbeddedServer() as server:
        (tmp_path / "snippets.py").write_text(code.replace(LOCAL_SERVER, server.url), "utf-8")
        run = subprocess.run(
            (sys.executable, "-W", "error", "snippets.py"),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    assert run.returncode == 0, run.stderr


def test_readme_shows_a_producer_and_a_consumer_on_both_backends() -> None:
    code = "\n".join(blocks("README.md", "python"))
    for needed in (
        'open_backend("memory://")',
        f'open_backend("{LOCAL_SERVER}")',
        ".enqueue(",
        ".claim(",
    ):
        assert needed in code
