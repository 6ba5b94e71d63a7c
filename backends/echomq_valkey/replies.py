"""What an error reply of the server means for the verb that got it. Pure: text in, error out."""

from __future__ import annotations

from echomq_core import (
    EchoMQError,
    NotApplied,
    OutcomeUnknown,
    Refused,
    ServerFull,
    ServerUnusable,
    WrongKeyType,
)

from .exchange import ErrorReply

__all__ = [
    "CLUSTER_PERMISSIONS",
    "MINIMAL_USER",
    "is_compile_error",
    "is_transient",
    "server_version",
    "typed_error",
]

_TRANSIENT = frozenset(
    {
        "ASK",
        "BUSY",
        "CLUSTERDOWN",
        "LOADING",
        "MASTERDOWN",
        "MOVED",
        "READONLY",
        "TRYAGAIN",
    }
)
_CREDENTIALS = frozenset({"NOAUTH", "WRONGPASS"})
_DID_NOT_RUN = frozenset({"MISCONF", "NOREPLICAS", "NOSCRIPT", "UNBLOCKED"}) | _TRANSIENT

_NO_SCRIPTS = (
    "EchoMQ's verbs are server-side scripts. Use Valkey or Redis 7.0 or newer with its Lua engine "
    "loaded, and commands that were not renamed"
)
MINIMAL_USER = (
    "resetkeys ~emq:* ~{emq}:version -@all "
    "+evalsha +script|load "
    "+del +exists +type +time +scan +get +set "
    "+hget +hset +hsetnx +hdel +hexists +hlen +hkeys +hmget +hgetall +hscan "
    "+lindex +llen +lmove +lpop +lpos +lpush +lrange +lrem +rpush +blpop "
    "+sadd +scard +sismember +smembers +srem +sscan "
    "+zadd +zcard +zcount +zmscore +zrange +zrank +zrem +zremrangebyrank +zscore"
)
"""Keys and commands of an ACL user who may do what every verb needs (CONN-7)."""

CLUSTER_PERMISSIONS = "+cluster|slots +asking"
"""What that user needs besides on a cluster (CONN-9)."""

_NO_PERMISSION = (
    f"Give this user what EchoMQ needs: ACL SETUSER <user> on >password {MINIMAL_USER} "
    f"(on a cluster also {CLUSTER_PERMISSIONS}). "
    f"If it was in use before, run fsck afterwards"
)


def is_transient(reply: ErrorReply) -> bool:
    """Whether the refusal proves that nothing ran and is likely to pass by itself (CONN-2)."""
    return reply.code in _TRANSIENT


def is_compile_error(reply: ErrorReply) -> bool:
    """Whether SCRIPT LOAD failed on the script's text: servers before 7.0 know no shebang."""
    return reply.code == "ERR" and "compil" in reply.text.lower()


def typed_error(reply: ErrorReply, verb: str, *, reads: bool) -> EchoMQError:
    """The error to raise for a refusal that is not followed up (any more)."""
    said = f"the server answered {str(reply)!r}"
    lowered = str(reply).lower()
    if reply.code in _CREDENTIALS:
        return ServerUnusable(
            f"{verb}: {said}. Put the user and the password into the URL: "
            f"valkey://user:password@host (percent-encoded)"
        )
    if reply.code == "NOPERM" or "acl failure" in lowered:
        return ServerUnusable(f"{verb}: {said}. {_NO_PERMISSION}")
    if "unknown command" in lowered or "scripting engine" in lowered:
        return ServerUnusable(f"{verb}: {said}. {_NO_SCRIPTS}")
    if reply.code == "OOM":
        return ServerFull(
            f"{verb}: {said}. Nothing was written; claims and settling still work. "
            f"Let consumers empty the queue, or raise maxmemory"
        )
    if reply.code == "WRONGTYPE":
        return WrongKeyType("unknown", "unknown", "unknown")
    if reply.code in _DID_NOT_RUN or "max number of clients" in lowered:
        return NotApplied(verb, said)
    if reply.connecting:
        return ServerUnusable(f"{verb}: {said} to a new connection. Correct the URL or the server")
    if reads:
        return Refused(f"{verb}: {said}")
    return OutcomeUnknown(verb, said)


def server_version(info: bytes) -> str:
    """The version in a reply to `INFO server`, Valkey's own before the Redis one it imitates."""
    fields = dict(
        line.split(":", 1)
        for line in info.decode("utf-8", errors="replace").splitlines()
        if ":" in line
    )
    return fields.get("valkey_version") or fields.get("redis_version") or "unknown"
