"""redis-py's exceptions back to what the server said: its code and its text."""

from __future__ import annotations

from redis import exceptions

from .exchange import ErrorReply, Lost

__all__ = ["connection_failed", "reply_failed"]

# The client library strips the code from the text of these and keeps it as a class.
_CODES: tuple[tuple[type[Exception], str], ...] = (
    (exceptions.NoScriptError, "NOSCRIPT"),
    (exceptions.ReadOnlyError, "READONLY"),
    (exceptions.BusyLoadingError, "LOADING"),
    (exceptions.MasterDownError, "MASTERDOWN"),
    (exceptions.ClusterDownError, "CLUSTERDOWN"),
    (exceptions.MovedError, "MOVED"),
    (exceptions.AskError, "ASK"),
    (exceptions.TryAgainError, "TRYAGAIN"),
    (exceptions.ClusterCrossSlotError, "CROSSSLOT"),
    (exceptions.OutOfMemoryError, "OOM"),
    (exceptions.NoPermissionError, "NOPERM"),
    (exceptions.AuthenticationError, "NOAUTH"),
    (exceptions.ExecAbortError, "EXECABORT"),
)


def connection_failed(error: Exception) -> ErrorReply | Lost:
    """A failure before a byte of the request was sent."""
    return _said(error, connecting=True) or Lost(False, f"no connection ({_told(error)})", error)


def reply_failed(error: Exception) -> ErrorReply | Lost:
    """A failure once sending began; a `Lost` means that the connection must not be used again."""
    return _said(error, connecting=False) or Lost(True, f"no reply ({_told(error)})", error)


def _said(error: BaseException, *, connecting: bool) -> ErrorReply | None:
    for kind, code in _CODES:
        if isinstance(error, kind):
            return ErrorReply(code, str(error), connecting)
    if isinstance(error, exceptions.ResponseError):
        # Other codes than ERR are still the first word of the text.
        first, _, rest = str(error).partition(" ")
        if first.isalpha() and first.isupper():
            return ErrorReply(first, rest, connecting)
        return ErrorReply("ERR", str(error), connecting)
    if isinstance(error, exceptions.ConnectionError):
        if "max number of clients" in str(error):
            return ErrorReply("ERR", str(error), connecting)
        # Async unix sockets wrap a refused handshake, Sentinel connections READONLY.
        inner = error.__cause__ or error.__context__
        if isinstance(inner, exceptions.ResponseError | exceptions.AuthenticationError):
            return _said(inner, connecting=connecting)
    return None


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
