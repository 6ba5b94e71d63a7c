"""URLs to backends, through entry points (OPEN-1)."""

from __future__ import annotations

from importlib.metadata import EntryPoint
from typing import Any

import pytest
from echomq_memory import AsyncMemoryBackend, MemoryBackend

from echomq_core import (
    EchoMQError,
    InvalidArgument,
    MissingExtra,
    UnknownScheme,
    Unsupported,
    known_schemes,
    open_async_backend,
    open_backend,
    registry,
)
from echomq_core.registry import Provider

GROUP = "echomq.backends"
SYNC_ONLY = Provider(open=lambda url: MemoryBackend())
ASYNC_ONLY = Provider(open_async=lambda url: AsyncMemoryBackend())
WHOLE = Provider(open=lambda url: MemoryBackend(), open_async=lambda url: AsyncMemoryBackend())


def whole() -> Provider:
    return WHOLE


def missing_other_extra() -> Provider:
    raise MissingExtra("valkey", "redis")


@pytest.fixture(autouse=True)
def _installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points of the schemes that these tests know, instead of the installed ones."""
    named = {
        "whole": f"{__name__}:WHOLE",
        "function": f"{__name__}:whole",
        "sync": f"{__name__}:SYNC_ONLY",
        "async": f"{__name__}:ASYNC_ONLY",
        "extra": "no_such_package_of_ours.provide:server [shiny]",
        "broken": "no_such_package_of_ours.provide:server",
    }
    points = [EntryPoint(name, value, GROUP) for name, value in named.items()]

    def entry_points(**wanted: Any) -> list[EntryPoint]:
        return [
            point
            for point in points
            if all(getattr(point, field) == value for field, value in wanted.items())
        ]

    monkeypatch.setattr(registry, "entry_points", entry_points)


def test_open_1_the_known_schemes_are_those_registered_sorted() -> None:
    assert known_schemes() == ("async", "broken", "extra", "function", "sync", "whole")


@pytest.mark.parametrize("url", ["whole://", "whole://name", "WHOLE://x", "function://"])
def test_open_1_a_scheme_opens_its_backend(url: str) -> None:
    with open_backend(url) as backend:
        assert isinstance(backend, MemoryBackend)
    assert isinstance(open_async_backend(url), AsyncMemoryBackend)


@pytest.mark.parametrize("opener", [open_backend, open_async_backend])
def test_open_1_an_unknown_scheme_lists_the_known_ones(opener: Any) -> None:
    with pytest.raises(UnknownScheme) as raised:
        opener("carrier-pigeon://loft")
    assert raised.value.scheme == "carrier-pigeon"
    assert raised.value.known == known_schemes()
    for scheme in ("carrier-pigeon", *(f"{known}://" for known in known_schemes())):
        assert scheme in str(raised.value)
    assert isinstance(raised.value, ValueError)
    assert isinstance(raised.value, EchoMQError)


@pytest.mark.parametrize("opener", [open_backend, open_async_backend])
def test_open_1_a_package_that_is_not_installed_names_its_extra(opener: Any) -> None:
    with pytest.raises(MissingExtra) as raised:
        opener("extra://host")
    assert raised.value.extra == "shiny"
    assert raised.value.package == "no_such_package_of_ours"
    assert "pip install 'echomq[shiny]'" in str(raised.value)
    assert isinstance(raised.value, ImportError)


def test_open_1_a_broken_backend_without_an_extra_says_what_it_misses() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_package_of_ours"):
        open_backend("broken://")


@pytest.mark.parametrize("opener", [open_backend, open_async_backend])
@pytest.mark.parametrize("url", ["", "whole", "whole:/x", "/tmp/socket", None, 5, b"whole://"])
def test_open_1_what_is_no_url_is_refused(opener: Any, url: object) -> None:
    with pytest.raises(InvalidArgument) as raised:
        opener(url)
    assert raised.value.argument == "url"
    assert raised.value.value == url


def test_open_1_a_backend_of_one_face_refuses_the_other_and_names_the_remedy() -> None:
    with pytest.raises(InvalidArgument, match="open_async_backend"):
        open_backend("async://")
    with pytest.raises(InvalidArgument, match="open_backend"):
        open_async_backend("sync://")


def test_open_1_verbs_that_a_backend_lacks_are_completed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr("echomq_core.verbs.SyncVerbs.drain")
    with open_backend("whole://") as backend, pytest.raises(Unsupported, match="drain"):
        backend.drain("q", "g")
