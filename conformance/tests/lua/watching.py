"""What a server runs inside scripts, command by command, as MONITOR tells it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import redis

__all__ = ["Run", "Watch"]

_LINE = re.compile(rb"[\d.]+ \[\d+ (.*?)\] (.*)", re.DOTALL)
_PART = re.compile(rb'"((?:[^"\\]|\\.)*)"', re.DOTALL)


@dataclass(slots=True)
class Run:
    """One script that ran: its digest and base key, and the commands inside, each as its words."""

    digest: str
    base: str
    commands: list[tuple[str, ...]] = field(default_factory=list)


class Watch:
    """Watches a server while a call is made. Names in it are plain ASCII, so nothing is escaped."""

    def __init__(self, client: redis.Redis) -> None:
        self._client = client

    def during(self, call: Callable[[], object]) -> list[Run]:
        """The scripts that ran while `call` did."""
        end = uuid4().hex
        runs: list[Run] = []
        client: Any = self._client
        monitor = client.monitor()
        with monitor:
            call()
            self._client.echo(end)
            while True:
                line = _LINE.fullmatch(monitor.connection.read_response())
                assert line
                words = tuple(part.decode() for part in _PART.findall(line[2]))
                if words == ("ECHO", end):
                    return runs
                if line[1] == b"lua":
                    runs[-1].commands.append(words)
                elif words[0].upper() == "EVALSHA":
                    runs.append(Run(words[1], words[3]))
