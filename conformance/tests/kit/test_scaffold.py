"""`new` writes a package whose every verb names the clause that says what it does."""

from __future__ import annotations

import re
from importlib import import_module, invalidate_caches
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from echomq_conformance.__main__ import main
from echomq_conformance.profiles import VERB_PROFILES
from echomq_conformance.scaffold import ScaffoldError, new_backend

from echomq_core import NotApplied, Unsupported, ops
from echomq_core.clauses import CLAUSES

CORE = sorted(verb for verb, profile in VERB_PROFILES.items() if profile == "core")


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The backend module of a new package."""
    root = new_backend("my-store", tmp_path)
    assert root == tmp_path / "echomq-my-store"
    monkeypatch.syspath_prepend(str(root / "src"))
    invalidate_caches()
    return import_module("echomq_my_store.backend")


def _arguments(verb: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    job_id = "JOB00000000001"
    settle = {"delay_ms": 0, "max_attempts": 1, "error": ""}
    return {
        "enqueue": (("q", "g", b""), {}),
        "claim": (("q", 1_000), {}),
        "complete": (("q", job_id, 1), {}),
        "retry": (("q", job_id, 1), settle),
        "release": (("q", job_id, 1), {}),
        "extend": (("q", job_id, 1, 1_000), {}),
        "promote": (("q", 1), {}),
        "reap": (("q", 1), {}),
        "job": (("q", job_id), {}),
        "depth": (("q", "g"), {}),
        "snapshot": (("q",), {}),
        "check": ((), {}),
    }[verb]


def test_every_core_verb_is_there_and_names_its_clause(written: ModuleType) -> None:
    for verb in CORE:
        positional, named = _arguments(verb)
        with pytest.raises(NotImplementedError) as missing:
            getattr(written.MyStoreBackend(""), verb)(*positional, **named)
        clause, _, told = str(missing.value).partition(": ")
        assert clause in CLAUSES, f"{verb}: {missing.value}"
        assert told


def test_every_clause_that_the_templates_cite_exists(written: ModuleType) -> None:
    folder = Path(str(written.__file__)).parent
    cited = {
        found
        for path in folder.iterdir()
        if path.suffix == ".py"
        for found in re.findall(r"\b[A-Z]{3,7}-[a-z0-9_-]*[a-z0-9]\b", path.read_text("utf-8"))
    }
    assert {"VERB-enqueue", "GHOST-1"} <= cited <= set(CLAUSES)


def test_verbs_beyond_core_are_unsupported_and_a_closed_one_applies_nothing(
    written: ModuleType,
) -> None:
    backend = written.MyStoreBackend("")
    with pytest.raises(Unsupported):
        backend.pause("q", "g")
    backend.close()
    with pytest.raises(NotApplied):
        backend.depth("q", "g")
    assert ops.Pause not in import_module("echomq_my_store.verbs").VERBS


@pytest.mark.parametrize("name", ["", "My", "a_b", "-a", "a-", "a--b", "7a", "a b", "é"])
def test_a_name_that_is_no_url_scheme_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ScaffoldError, match="no name for a backend"):
        new_backend(name, tmp_path)
    assert not list(tmp_path.iterdir())


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["new", "demo", "--path", str(tmp_path)]) == 0
    assert "pip install -e" in capsys.readouterr().out
    changed = tmp_path / "echomq-demo" / "README.md"
    changed.write_text("mine")
    assert main(["new", "demo", "--path", str(tmp_path)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert changed.read_text() == "mine"
