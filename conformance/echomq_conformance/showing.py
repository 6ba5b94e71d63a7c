"""Carrying out one scenario or check, and what it is evidence for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from echomq_core.clauses import CLAUSES

from .breaches import breach_in
from .report import Evidence

__all__ = ["blamed_by", "shown"]


def blamed_by(error: Exception, otherwise: str) -> str:
    """The clause that an error stands against: a backend that is being written names the clause of
    the verb that it lacks in its `NotImplementedError`; any other error says nothing."""
    named = str(error).split(":", 1)[0]
    return named if isinstance(error, NotImplementedError) and named in CLAUSES else otherwise


def shown(
    kind: str,
    name: str,
    clauses: tuple[str, ...],
    run: Callable[[], None],
    *,
    face: str = "",
    script: tuple[Mapping[str, Any], ...] = (),
) -> Evidence:
    """Evidence for all `clauses` if `run` returns; if it raises, against the one that is broken, with
    the `script` that it played."""

    def broken(blamed: tuple[str, ...], message: str) -> Evidence:
        breach = breach_in(message, blamed[0])
        return Evidence(kind, name, blamed, False, message, face=face, breach=breach, script=script)

    try:
        run()
    except AssertionError as failure:
        message = str(failure)
        blamed = message.split(":", 1)[0]
        # The clause that the message names first is the broken one; the others are not shown.
        return broken((blamed,) if blamed in CLAUSES else clauses, message)
    except NotImplementedError as missing:
        lacking = blamed_by(missing, clauses[0])
        message = f"{lacking}: {kind} {name} needs what is not written yet: {missing}"
        return broken((lacking,), message)
    except Exception as error:  # noqa: BLE001 - a fault of the target is a finding
        message = f"{clauses[0]}: {kind} {name} could not go on: {error!r}"
        return broken(clauses[:1], message)
    return Evidence(kind, name, clauses, True, face=face)
