"""The plan of `check`: what kind of server this is, from what its user may ask."""

from __future__ import annotations

from typing import Any

from echomq_core import Refused, ServerInfo, ServerTooOld, ServerUnusable, ops

from .calls import CommandCall, ScriptCall, Steps
from .parsing import as_text, pairs_of

UNKNOWN = "unknown"


def check(op: ops.Check) -> Steps[ServerInfo]:
    warnings: list[str] = []
    info = yield from _info(op)
    if not info:
        warnings.append("this user may not run INFO: version, eviction and persistence are unknown")
    scripts = True
    try:
        # Any queue does: the script reads keys that may well not exist.
        yield ScriptCall(op.verb, "next_due", "echomq-check", (), list, reads=True)
    except ServerTooOld as old:
        scripts = False
        warnings.append(str(old))
    except ServerUnusable as refusal:
        scripts = False
        warnings.append(f"scripts cannot run: {refusal}")
    eviction = info.get("maxmemory_policy") or (yield from _config(op, "maxmemory-policy"))
    if eviction not in (UNKNOWN, "noeviction"):
        warnings.append(
            f"eviction policy {eviction}: the server may delete waiting jobs when memory is short. "
            f"Set maxmemory-policy noeviction"
        )
    persistence = yield from _persistence(op, info)
    if persistence == "none":
        warnings.append("no persistence: a restart of the server loses every job")
    if info.get("role") in {"slave", "replica"}:
        warnings.append(
            "this server is a replica: it refuses to write, and what it reads may be old. "
            "Name the primary, or let Sentinel name it"
        )
    return ServerInfo(
        product=_product(info),
        version=info.get("valkey_version") or info.get("redis_version") or UNKNOWN,
        topology=info.get("redis_mode") or info.get("server_mode") or UNKNOWN,
        scripts=scripts,
        eviction=eviction,
        persistence=persistence,
        warnings=tuple(warnings),
    )


def _product(info: dict[str, str]) -> str:
    if not info:
        return UNKNOWN
    return info.get("server_name") or ("valkey" if "valkey_version" in info else "redis")


def _info(op: ops.Check) -> Steps[dict[str, str]]:
    try:
        text: str = yield CommandCall(op.verb, ("INFO",), as_text, reads=True)
    except Refused:
        return {}
    lines = (line.partition(":") for line in text.splitlines() if not line.startswith("#"))
    return {name: value for name, colon, value in lines if colon}


def _config(op: ops.Check, name: str) -> Steps[str]:
    try:
        reply: Any = yield CommandCall(op.verb, ("CONFIG", "GET", name), pairs_of, reads=True)
    except Refused:
        return UNKNOWN
    return as_text(reply[0][1]) if reply else UNKNOWN


def _persistence(op: ops.Check, info: dict[str, str]) -> Steps[str]:
    """`aof-always`, `aof-everysec`, `aof-no`, `rdb`, `none` or `unknown`."""
    if info.get("aof_enabled") == "1":
        return f"aof-{(yield from _config(op, 'appendfsync'))}"
    save = yield from _config(op, "save")
    if save == UNKNOWN:
        return UNKNOWN
    return "rdb" if save else "none"
