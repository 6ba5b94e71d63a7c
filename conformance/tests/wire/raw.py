"""The raw keys of one queue: what another program or an operator sees and writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import redis

from echomq_core import Keyspace


@dataclass(frozen=True, slots=True)
class Raw:
    client: redis.Redis
    queue: str

    @property
    def keys(self) -> Keyspace:
        return Keyspace(self.queue)

    def names(self) -> list[str]:
        """All keys of the queue, sorted."""
        found = self.client.scan_iter(match=self.keys.base + "*", count=1_000)
        return sorted(cast("bytes", key).decode() for key in found)

    def dump(self, *, without: str = "") -> dict[str, Any]:
        """Type and whole value of every key of the queue, with its time to live."""
        return {
            name: (self.value(name), self.client.pttl(name))
            for name in self.names()
            if name != without
        }

    def value(self, name: str) -> Any:
        client: Any = self.client
        match client.type(name):
            case b"hash":
                return client.hgetall(name)
            case b"zset":
                return client.zrange(name, 0, -1, withscores=True)
            case b"list":
                return client.lrange(name, 0, -1)
            case b"set":
                return client.smembers(name)
            case other:
                return other, client.get(name)

    def row(self, job_id: str) -> dict[bytes, bytes]:
        return cast("dict[bytes, bytes]", self.client.hgetall(self.keys.job(job_id)))

    def put_row(self, job_id: str, **fields: str | int | bytes) -> None:
        self.client.hset(self.keys.job(job_id), mapping=fields)  # type: ignore[arg-type]
