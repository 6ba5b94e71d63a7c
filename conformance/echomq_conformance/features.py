"""Which verbs a target supports, which it refuses as it should, and which it has without a claim."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from echomq_core import InvalidArgument, JobState, NewJob, Unsupported, mint_job_id

from .encoding import operation_of
from .face import arguments
from .harness import Harness
from .profiles import VERB_PROFILES
from .report import Features

__all__ = ["features_of"]


def features_of(harness: Harness) -> Features:
    """Calls each verb that is not claimed once, on a queue of its own; never raises for its faults.
    A verb that answers, or refuses an argument, is there."""
    claims = harness.target.claims
    found: dict[str, list[str]] = {"unsupported": [], "undeclared": [], "unclear": []}
    for verb, profile in VERB_PROFILES.items():
        if profile not in claims:
            found[_outcome(harness, verb)].append(verb)
    supported = [verb for verb, profile in VERB_PROFILES.items() if profile in claims]
    return Features(tuple(supported), *(tuple(verbs) for verbs in found.values()))


def _outcome(harness: Harness, verb: str) -> str:
    try:
        call = getattr(harness.backend, verb)
    except AttributeError:
        return "unsupported"
    try:
        call(**_plain_arguments(harness, verb))
    except (Unsupported, NotImplementedError):
        return "unsupported"
    except AttributeError as missing:  # the async face looks a verb up when it is called
        return "unsupported" if missing.name == verb else "unclear"
    except InvalidArgument:  # it is there: it looked at its arguments
        return "undeclared"
    except Exception:  # noqa: BLE001 - whatever it raises, it is no typed refusal
        return "unclear"
    return "undeclared"


def _plain_arguments(harness: Harness, verb: str) -> dict[str, Any]:
    """The least that the verb may be called with."""
    job_id = mint_job_id()
    given = {
        "queue": harness.fresh_queue(),
        "group": "g",
        "groups": ("g",),
        "items": (NewJob("g", b"", job_id),),
        "job_id": job_id,
        "lease_ms": 1_000,
        "limit": 1,
        "n": 1,
        "pairs": ((job_id, 1),),
        "state": JobState.PENDING,
        "timeout_ms": 1,
        "token": 1,
    }
    kind: Any = operation_of(verb)
    needed = {field.name: given[field.name] for field in fields(kind) if field.default is MISSING}
    return arguments(kind(**needed))
