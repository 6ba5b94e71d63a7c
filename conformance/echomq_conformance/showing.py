"""Carrying out one scenario or check, and what it is evidence for."""

from __future__ import annotations

from collections.abc import Callable

from echomq_core.clauses import CLAUSES

from .report import Evidence

__all__ = ["shown"]


def shown(kind: str, name: str, clauses: tuple[str, ...], run: Callable[[], None]) -> Evidence:
    """Evidence for all `clauses` if `run` returns; if it raises, against the one that is broken."""
    try:
        run()
    except AssertionError as failure:
        message = str(failure)
        blamed = message.split(":", 1)[0]
        # The clause that the message names first is the broken one; the others are not shown.
        return Evidence(kind, name, (blamed,) if blamed in CLAUSES else clauses, False, message)
    except NotImplementedError as missing:
        # A backend being written names the clause of the verb that it lacks.
        named = str(missing).split(":", 1)[0]
        blamed = named if named in CLAUSES else clauses[0]
        message = f"{blamed}: {kind} {name} needs what is not written yet: {missing}"
        return Evidence(kind, name, (blamed,), False, message)
    except Exception as error:  # noqa: BLE001 - a fault of the target is a finding
        message = f"{clauses[0]}: {kind} {name} could not go on: {error!r}"
        return Evidence(kind, name, clauses[:1], False, message)
    return Evidence(kind, name, clauses, True)
