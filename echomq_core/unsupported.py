"""Completing a backend that has only some of the features: its missing verbs raise `Unsupported`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn, cast, overload

from .errors import Unsupported
from .protocol import Backend, FullBackend
from .protocol_async import AsyncBackend, AsyncFullBackend

__all__ = ["all_verbs", "with_unsupported"]

if TYPE_CHECKING:
    from types import TracebackType


def all_verbs() -> tuple[str, ...]:
    """The names of every verb of `FullBackend`, in the order of the Protocols."""
    names: dict[str, None] = {}
    for protocol in reversed(FullBackend.__mro__):
        for name, value in vars(protocol).items():
            if not name.startswith("_") and callable(value) and name != "close":
                names[name] = None
    return tuple(names)


@overload
def with_unsupported(backend: Backend) -> FullBackend: ...
@overload
def with_unsupported(backend: AsyncBackend) -> AsyncFullBackend: ...
def with_unsupported(backend: Backend | AsyncBackend) -> FullBackend | AsyncFullBackend:
    """`backend` itself if it has every verb, else a wrapper whose missing verbs raise `Unsupported`."""
    if all(callable(getattr(backend, verb, None)) for verb in all_verbs()):
        return cast("FullBackend | AsyncFullBackend", backend)
    return cast("FullBackend | AsyncFullBackend", _Completed(backend))


class _Completed:
    """Passes everything on; a verb that the backend lacks becomes a method that raises."""

    def __init__(self, backend: Backend | AsyncBackend) -> None:
        self._backend = backend

    def __getattr__(self, name: str) -> Any:
        try:
            return getattr(self._backend, name)
        except AttributeError:
            if name not in all_verbs():
                raise
        backend = type(self._backend).__name__

        def refuse(*_args: object, **_kwargs: object) -> NoReturn:
            raise Unsupported(name, backend)

        return refuse

    def __enter__(self) -> Any:
        cast("Backend", self._backend).__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        cast("Backend", self._backend).__exit__(kind, error, trace)

    async def __aenter__(self) -> Any:
        await cast("AsyncBackend", self._backend).__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await cast("AsyncBackend", self._backend).__aexit__(kind, error, trace)
