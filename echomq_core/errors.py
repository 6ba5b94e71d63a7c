"""The one tree of errors, split by what the caller can do about them.

*Empty*, *duplicate*, *gone* and *stale* are answers, never errors (spec, chapter "Answers").
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ConnectionTrouble",
    "EchoMQError",
    "InvalidArgument",
    "MissingExtra",
    "NotApplied",
    "OutcomeUnknown",
    "QueueTooLarge",
    "Refused",
    "ServerFull",
    "ServerTooOld",
    "ServerUnusable",
    "TooFewReplicas",
    "UnknownScheme",
    "UnsafeClient",
    "Unsupported",
    "WireVersionMismatch",
    "WrongKeyType",
]


class EchoMQError(Exception):
    """Root of every error that EchoMQ raises.

    `verdicts`: for a bulk verb that failed midway, one entry per item in input order: its
    answer, or a `Fate` (`unknown`, `not_applied`). `None` for every other verb.
    `done`: for `drain`, `reap_group` and `fsck` that failed midway, how many jobs (breaches, for
    `fsck`) the finished steps had dealt with. `None` for every other verb.
    """

    verdicts: Sequence[object] | None = None
    done: int | None = None


class InvalidArgument(EchoMQError, ValueError):
    """An argument was refused before anything was sent. Fix the call.

    Attributes: `argument` (as in `items[3].payload`), `value`, `rule`, `remedy`.
    """

    def __init__(self, argument: str, value: object, rule: str, remedy: str) -> None:
        super().__init__(argument, value, rule, remedy)
        self.argument = argument
        self.value = value
        self.rule = rule
        self.remedy = remedy

    def __str__(self) -> str:
        shown = repr(self.value)
        if len(shown) > 120:
            shown = (
                f"{shown[:100]}... ({type(self.value).__name__}, {len(shown)} characters as text)"
            )
        return f"{self.argument}={shown}: {self.rule}. {self.remedy}"


class Refused(EchoMQError):
    """The store refused the verb and wrote nothing for it. Repeating it as it is will not help."""


class WrongKeyType(Refused):
    """A key of the queue holds a value of another type; somebody else wrote it. Nothing was changed.

    Attributes: `key`, `found`, `expected` (server type names; `found` may be `unknown`).
    """

    def __init__(self, key: str, found: str, expected: str) -> None:
        super().__init__(key, found, expected)
        self.key = key
        self.found = found
        self.expected = expected

    def __str__(self) -> str:
        return (
            f"key {self.key!r} holds a {self.found}, not a {self.expected}: another program or an "
            f"operator wrote it. Nothing was changed. Move it away (RENAME), then call again"
        )


class QueueTooLarge(Refused):
    """`snapshot` was asked for more entries than `max_jobs`. Attributes: `entries`, `max_jobs`."""

    def __init__(self, entries: int, max_jobs: int) -> None:
        super().__init__(entries, max_jobs)
        self.entries = entries
        self.max_jobs = max_jobs

    def __str__(self) -> str:
        return (
            f"the queue holds {self.entries} entries, more than max_jobs={self.max_jobs}. "
            f"Use the paged reads: lanes, ring, browse, dead_jobs, configuration"
        )


class ServerFull(Refused):
    """The server is over `maxmemory`: the admission was refused, nothing was written (KEYS-2c).

    Every other verb still works, so consumers can empty the queue.
    """


class ServerUnusable(Refused):
    """The server cannot run the scripts for this user; the message says what to change."""


class ServerTooOld(Refused):
    """The server is older than the scripts need. Attributes: `found`, `needed` (versions)."""

    def __init__(self, found: str, needed: str) -> None:
        super().__init__(found, needed)
        self.found = found
        self.needed = needed

    def __str__(self) -> str:
        return f"the server is version {self.found}; EchoMQ needs {self.needed} or newer"


class WireVersionMismatch(Refused):
    """The version fence names a key layout that is not ours (KEYS-4b). Attributes: `found`, `accepted`."""

    def __init__(self, found: str, accepted: str) -> None:
        super().__init__(found, accepted)
        self.found = found
        self.accepted = accepted

    def __str__(self) -> str:
        return (
            f"the key '{{emq}}:version' says {self.found!r}; this library accepts {self.accepted}. "
            f"Use another server or database for this queue, or the library that wrote that version"
        )


class UnsafeClient(Refused):
    """The client that was handed in may repeat a command (CONN-1). The text is the line to use instead."""


class ConnectionTrouble(EchoMQError):
    """Something between us and the store. Attributes: `verb` and `reason`."""

    def __init__(self, verb: str, reason: str) -> None:
        super().__init__(verb, reason)
        self.verb = verb
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.verb}: {self.reason}"


class OutcomeUnknown(ConnectionTrouble):
    """The verb was sent and no answer came: it took effect once, or not at all (CONN-2)."""

    def __str__(self) -> str:
        return f"{self.verb}: outcome unknown, {self.reason}. It took effect once or not at all"


class NotApplied(ConnectionTrouble):
    """The verb surely did not happen; it may be repeated (CONN-2)."""

    def __str__(self) -> str:
        return f"{self.verb}: not applied, {self.reason}. It may be repeated"


class TooFewReplicas(ConnectionTrouble):
    """The write stands on the primary, but fewer replicas than asked for have it in time.

    Attributes: `wanted`, `got`, `answer` (the verb's own answer, which stands).
    """

    def __init__(self, verb: str, *, wanted: int, got: int, answer: object) -> None:
        super().__init__(verb, f"{got} of {wanted} replicas acknowledged in time")
        self.wanted = wanted
        self.got = got
        self.answer = answer

    def __str__(self) -> str:
        return f"{self.verb}: {self.reason}; the write stands on the primary"


class Unsupported(EchoMQError):
    """The backend does not have this verb. Attributes: `verb`, `backend`."""

    def __init__(self, verb: str, backend: str) -> None:
        super().__init__(verb, backend)
        self.verb = verb
        self.backend = backend

    def __str__(self) -> str:
        return f"{self.backend} does not support the verb {self.verb!r}"


class UnknownScheme(EchoMQError, ValueError):
    """No installed backend answers to this URL scheme. Attributes: `scheme`, `known`."""

    def __init__(self, scheme: str, known: Sequence[str]) -> None:
        super().__init__(scheme, tuple(known))
        self.scheme = scheme
        self.known = tuple(known)

    def __str__(self) -> str:
        listed = ", ".join(f"{name}://" for name in self.known)
        return f"no backend for URL scheme {self.scheme!r}; known schemes: {listed}"


class MissingExtra(EchoMQError, ImportError):
    """A package of an optional extra is not installed. Attributes: `extra`, `package`."""

    def __init__(self, extra: str, package: str) -> None:
        super().__init__(extra, package)
        self.extra = extra
        self.package = package

    def __str__(self) -> str:
        return f"the package {self.package!r} is not installed: pip install 'echomq[{self.extra}]'"
