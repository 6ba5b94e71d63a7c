"""The files of the scripts, and what a reader can tell of a script without running it."""

from __future__ import annotations

import re
from importlib.resources import files

import echomq_lua

__all__ = ["INCLUDES", "READS", "SCRIPTS", "WRITES", "commands", "file_text", "without_comments"]

SCRIPTS = echomq_lua.names()
INCLUDES = tuple(
    sorted(
        path.name.removesuffix(".lua")
        for path in files("echomq_lua").joinpath("include").iterdir()
        if path.name.endswith(".lua")
    )
)

READS = {
    *("EXISTS", "TYPE", "TIME"),
    *("HEXISTS", "HGET", "HGETALL", "HKEYS", "HLEN", "HMGET"),
    *("LINDEX", "LLEN", "LPOS", "LRANGE"),
    *("SCARD", "SISMEMBER", "SMEMBERS"),
    *("ZCARD", "ZCOUNT", "ZMSCORE", "ZRANGE", "ZRANK", "ZSCORE"),
}
WRITES = {
    *("DEL", "HDEL", "HSET", "HSETNX"),
    *("LMOVE", "LPOP", "LPUSH", "LREM", "RPUSH"),
    *("SADD", "SREM", "ZADD", "ZREM", "ZREMRANGEBYRANK"),
}
"""No command with an expiry among them (CONN-6), and none that walks over keys (RING-6)."""


def file_text(name: str) -> str:
    """The source of a script, or of an include as `include/name`."""
    return files("echomq_lua").joinpath(f"{name}.lua").read_text("utf-8")


def without_comments(text: str) -> str:
    return re.sub(r"--.*", "", text)


def commands(text: str) -> set[str]:
    """The server commands that a text calls."""
    return set(re.findall(r"\bcall\(\s*'(\w+)'", without_comments(text)))
