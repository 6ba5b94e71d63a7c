"""A backend that lacks verbs is completed by ones that raise `Unsupported` (OPEN-1)."""

from __future__ import annotations

import asyncio
from typing import Any, cast

import pytest
from echomq_memory import AsyncMemoryBackend, MemoryBackend

from echomq_core import AsyncBackend, Backend, Unsupported
from echomq_core.protocol import Backend as CoreVerbs
from echomq_core.unsupported import all_verbs, with_unsupported

CORE = {name for name in vars(CoreVerbs) if name in all_verbs()}


class OnlyCore:
    """A backend that has the core verbs of another one, and nothing else."""

    def __init__(self, whole: object) -> None:
        self._whole = whole
        self.entered = 0

    def __getattr__(self, name: str) -> Any:
        if name in CORE or name == "close":
            return getattr(self._whole, name)
        raise AttributeError(name)

    def __enter__(self) -> OnlyCore:
        self.entered += 1
        return self

    def __exit__(self, *_: object) -> None:
        self.entered -= 1

    async def __aenter__(self) -> OnlyCore:
        self.entered += 1
        return self

    async def __aexit__(self, *_: object) -> None:
        self.entered -= 1


def test_a_backend_with_every_verb_is_answered_as_it_is() -> None:
    with MemoryBackend() as whole:
        assert with_unsupported(whole) is whole


@pytest.mark.parametrize("verb", sorted(set(all_verbs()) - CORE))
def test_a_missing_verb_raises_unsupported_naming_verb_and_backend(verb: str) -> None:
    with MemoryBackend() as whole:
        completed = with_unsupported(cast("Backend", OnlyCore(whole)))
        with pytest.raises(Unsupported) as raised:
            getattr(completed, verb)("q")
        assert (raised.value.verb, raised.value.backend) == (verb, "OnlyCore")
        assert verb in str(raised.value)
        assert "OnlyCore" in str(raised.value)


def test_the_verbs_that_are_there_pass_through() -> None:
    with MemoryBackend() as whole:
        completed = with_unsupported(cast("Backend", OnlyCore(whole)))
        assert completed.enqueue("q", "g", b"x").duplicate is False
        assert completed.depth("q", "g") == 1


def test_what_is_no_verb_is_an_attribute_error() -> None:
    with MemoryBackend() as whole:
        completed = with_unsupported(cast("Backend", OnlyCore(whole)))
        with pytest.raises(AttributeError):
            _ = completed.no_such_verb  # type: ignore[attr-defined]


def test_a_completed_backend_is_a_context_manager_like_its_backend() -> None:
    with MemoryBackend() as whole:
        inner = OnlyCore(whole)
        completed = with_unsupported(cast("Backend", inner))
        with completed as entered:
            assert entered is completed
            assert inner.entered == 1
        assert inner.entered == 0


def test_an_async_backend_is_completed_too() -> None:
    async def play() -> None:
        async with AsyncMemoryBackend() as whole:
            inner = OnlyCore(whole)
            async with with_unsupported(cast("AsyncBackend", inner)) as completed:
                assert inner.entered == 1
                assert (await completed.enqueue("q", "g", b"x")).duplicate is False
                with pytest.raises(Unsupported):
                    await completed.drain("q", "g")
            assert inner.entered == 0

    asyncio.run(play())
