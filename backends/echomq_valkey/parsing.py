"""Raw replies to values. Pure; RESP2 and RESP3 alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from echomq_core import Empty, EmptyReason, Job, JobRecord

__all__ = [
    "as_flag",
    "as_text",
    "jobs_or_empty",
    "one_or_empty",
    "pairs_of",
    "record_of",
    "setting_of",
]

_POSITIVE = re.compile(rb"[1-9][0-9]*")


def as_text(raw: bytes) -> str:
    """A name as text; bytes of a foreign worker that are no UTF-8 are shown escaped."""
    return raw.decode("utf-8", errors="backslashreplace")


def as_flag(raw: int) -> bool:
    return raw == 1


def setting_of(raw: bytes | None) -> int | None:
    """A stored limit, weight or count; `None` where it is no positive integer (SETTING-1)."""
    return int(raw) if raw and _POSITIVE.fullmatch(raw) else None


def pairs_of(reply: Any) -> list[tuple[bytes, bytes]]:
    """A flat array (RESP2, scripts) or a map (RESP3) as pairs."""
    if isinstance(reply, dict):
        return list(reply.items())
    return list(zip(reply[::2], reply[1::2], strict=True))


def record_of(fields: Sequence[bytes | None]) -> JobRecord:
    """A row as the scripts read it: id, state, attempts, payload, group, last_error, forgiven, lapsed."""
    job_id, state, attempts, payload, group, last_error, forgiven, lapsed = fields
    assert job_id is not None
    return JobRecord(
        id=as_text(job_id),
        group=None if group is None else as_text(group),
        state=as_text(state or b""),
        attempts=setting_of(attempts) or 0,
        payload=payload or b"",
        last_error=None if last_error is None else as_text(last_error),
        forgiven=setting_of(forgiven) or 0,
        lapsed=lapsed is not None,
    )


def _job(fields: Sequence[Any]) -> Job:
    job_id, group, payload, token, attempt, deadline_ms = fields
    return Job(as_text(job_id), as_text(group), payload or b"", token, attempt, deadline_ms)


def one_or_empty(reply: Sequence[Any]) -> Job | Empty:
    """The answer of `claim`."""
    if reply[0] == b"job":
        return _job(reply[1:])
    return Empty(EmptyReason(as_text(reply[0])))


def jobs_or_empty(reply: Sequence[Any]) -> list[Job] | Empty:
    """The answer of the other claims."""
    if reply[0] == b"jobs":
        return [_job(fields) for fields in reply[1:]]
    return Empty(EmptyReason(as_text(reply[0])))


def texts(raw: Iterable[bytes]) -> tuple[str, ...]:
    return tuple(as_text(item) for item in raw)
