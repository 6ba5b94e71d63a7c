"""URLs to backends, through the entry-point group `echomq.backends`.

A backend package registers one entry point per URL scheme; each names a `Provider` (or a function
without arguments that returns one). Opening does no I/O; the first verb does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import cast

from .errors import InvalidArgument, MissingExtra, UnknownScheme
from .protocol import Backend, FullBackend
from .protocol_async import AsyncBackend, AsyncFullBackend
from .unsupported import with_unsupported

__all__ = ["Provider", "known_schemes", "open_async_backend", "open_backend"]

GROUP = "echomq.backends"


@dataclass(frozen=True, slots=True)
class Provider:
    """How to open the backends of one URL scheme: plain functions of the URL that do no I/O.

    Either may be `None` for a backend that has one face only.
    """

    open: Callable[[str], Backend] | None = None
    open_async: Callable[[str], AsyncBackend] | None = None


def known_schemes() -> tuple[str, ...]:
    """The URL schemes of all installed backends, sorted."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def _provider(url: object) -> Provider:
    if not isinstance(url, str) or "://" not in url:
        raise InvalidArgument(
            "url",
            url,
            "a backend URL is text of the form scheme://...",
            "For example memory:// or valkey://localhost:6379/0",
        )
    scheme = url.split("://", 1)[0].lower()
    for point in entry_points(group=GROUP, name=scheme):
        extra = point.extras[0] if point.extras else None
        try:
            found = point.load()
        except MissingExtra as missing:
            if extra in (None, missing.extra):
                raise
            # The package names the extra of its other schemes; this one needs more.
            raise MissingExtra(str(extra), missing.package) from missing
        except ModuleNotFoundError as missing:
            if extra is None:
                raise
            raise MissingExtra(extra, missing.name or point.module) from missing
        return found if isinstance(found, Provider) else cast("Provider", found())
    raise UnknownScheme(scheme, known_schemes())


def open_backend(url: str) -> FullBackend:
    """The sync backend of a URL; does no I/O. Verbs that it lacks raise `Unsupported`.

    Raises `UnknownScheme` (listing the known ones), `MissingExtra`, `InvalidArgument`.
    """
    provider = _provider(url)
    if provider.open is None:
        raise InvalidArgument("url", url, "this backend is async only", "Use open_async_backend")
    return with_unsupported(provider.open(url))


def open_async_backend(url: str) -> AsyncFullBackend:
    """The async backend of a URL; does no I/O. Verbs that it lacks raise `Unsupported`.

    Raises `UnknownScheme` (listing the known ones), `MissingExtra`, `InvalidArgument`.
    """
    provider = _provider(url)
    if provider.open_async is None:
        raise InvalidArgument("url", url, "this backend is sync only", "Use open_backend")
    return with_unsupported(provider.open_async(url))
