"""Backends that do `claim` and `complete` in two commands: look, then write what was decided.

Called one after another they answer and leave exactly what the clauses say. Only another client
that gets in between can show the fault.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import Any, TypeVar, cast

import redis
from echomq_conformance.target import Clock, Target
from echomq_memory import AsyncMemoryBackend, MemoryBackend, QueueModel, Store
from echomq_memory.state import QueueState, Row
from echomq_valkey import EmbeddedServer, ValkeyBackend

from echomq_core import (
    AsyncBackend,
    Backend,
    CompleteVerdict,
    Empty,
    EmptyReason,
    Job,
    Keyspace,
    ops,
)
from echomq_core.verbs import SyncVerbs

A = TypeVar("A")

CLAIMS = frozenset({"core", "control", "bulk", "wake", "concurrent"})


# --- memory -----------------------------------------------------------------------------------


def _look(store: Store, op: ops.QueueOp[A]) -> A:
    """The right answer, worked out on a copy: nothing changes."""
    with store._lock:
        model = store._queues.get(op.queue) or QueueModel(op.queue)
        return QueueModel.thaw(model.freeze()).apply(op, store._clock.now_ms())


def _no_ghost(store: Store, op: ops.Claim, found: Job | Empty) -> bool:
    """Whether nothing but the job itself has to be written: ghosts are left to the real claim."""
    if isinstance(found, Empty):
        return found.reason is not EmptyReason.GHOST
    with store._lock:
        q = store._queues[op.queue].state
        lane = q.lanes.get(found.group)
        return lane is not None and lane.first() == (0, found.id) and found.id not in q.active


def _write_claim(store: Store, op: ops.Claim, job: Job) -> Job:
    with store._lock:
        q = store._queues[op.queue].state
        row = q.rows.get(job.id) or Row(job.id, job.group, job.payload, cast("Any", "pending"))
        q.rows[job.id] = row
        if job.group in q.ring:
            q.ring.move_to_end(job.group)
        if job.group in q.lanes:
            q.lanes[job.group].discard(job.id)
            q.drop_empty_lane(job.group)
        row.attempts, row.lapsed = job.token, False
        q.enter_active(row, job.deadline_ms)
        q.settle(job.group)
        if q.ring:
            q.leave_token()
    return job


def _write_complete(store: Store, op: ops.Complete) -> CompleteVerdict:
    with store._lock:
        q = store._queues[op.queue].state
        row = q.rows.pop(op.job_id, None)
        if row is not None:
            _leave(q, row)
            q.settle(row.group)
        q.completed += 1
    return CompleteVerdict.COMPLETED


def _leave(q: QueueState, row: Row) -> None:
    if row.id in q.active:
        q.leave_active(row)
    elif row.group in q.lanes:
        q.leave_lane(row)


class SplitMemory(MemoryBackend):
    """Another thread may run between the two halves."""

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Claim):
            found = _look(self.store, op)
            if not self._session.open or not _no_ghost(self.store, op, found):
                return cast("A", super()._perform(op))
            time.sleep(0)
            if isinstance(found, Empty):
                return cast("A", found)
            return cast("A", _write_claim(self.store, op, found))
        if isinstance(op, ops.Complete) and self._session.open:
            verdict = _look(self.store, op)
            time.sleep(0)
            if verdict is CompleteVerdict.COMPLETED:
                verdict = _write_complete(self.store, op)
            return cast("A", verdict)
        return super()._perform(op)


class AsyncSplitMemory(AsyncMemoryBackend):
    """Another task may run between the two halves."""

    async def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Claim):
            found = _look(self.store, op)
            await asyncio.sleep(0)
            if isinstance(found, Empty):
                return cast("A", found)
            return cast("A", _write_claim(self.store, op, found))
        return await super()._perform(op)


class LocklessMemory(MemoryBackend):
    """The store without its lock: each verb works on a copy of the queue, which then replaces it."""

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Claim | ops.Complete | ops.Enqueue):
            store = self.store
            model = store._queues.setdefault(op.queue, QueueModel(op.queue))
            copy = QueueModel.thaw(model.freeze())
            answer = copy.apply(cast("ops.QueueOp[A]", op), store._clock.now_ms())
            time.sleep(0)
            model.state = copy.state
            return answer
        return super()._perform(op)


def memory_target(kind: type[MemoryBackend]) -> Target:
    stores: list[Store] = []

    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Backend]:
        stores[:] = [Store(clock)]
        with kind(store=stores[0]) as backend:
            yield backend

    def lose_row(queue: str, job_id: str) -> None:
        stores[0].lose_row(queue, job_id)

    def peer() -> Callable[[], MemoryBackend]:
        return partial(kind, store=stores[0])

    return Target(kind.__name__, "1", CLAIMS, lose_row, open=opened, peer=peer)


def async_memory_target() -> Target:
    stores: list[Store] = []

    @asynccontextmanager
    async def opened(clock: Clock | None) -> AsyncIterator[AsyncBackend]:
        stores[:] = [Store(clock)]
        async with AsyncSplitMemory(store=stores[0]) as backend:
            yield backend

    def lose_row(queue: str, job_id: str) -> None:
        stores[0].lose_row(queue, job_id)

    def peer() -> Callable[[], AsyncMemoryBackend]:
        return partial(AsyncSplitMemory, store=stores[0])

    return Target(
        "AsyncSplitMemory",
        "1",
        CLAIMS | {"async"},
        lose_row,
        open_async=opened,
        peer_async=peer,
    )


# --- Valkey -----------------------------------------------------------------------------------

_LOOK = """#!lua flags=no-writes
local base = KEYS[1]
if redis.call('HEXISTS', KEYS[2], 'paused') == 1 then return { 'queue_paused' } end
local group = redis.call('LINDEX', base .. 'ring', 0)
if not group then return { 'ring_empty' } end
local id = redis.call('ZRANGE', base .. 'g:' .. group .. ':pending', 0, 0)[1]
return { 'job', group, id, redis.call('HGET', base .. 'job:' .. id, 'attempts') }
"""

_WRITE_CLAIM = """#!lua flags=allow-oom
local base, group, id, attempts, lease = KEYS[1], ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4]
local call = redis.call
local row, lane, ring = base .. 'job:' .. id, base .. 'g:' .. group .. ':pending', base .. 'ring'
local time = call('TIME')
local deadline = time[1] * 1000 + math.floor(time[2] / 1000) + lease
if call('LREM', ring, 1, group) == 1 then call('RPUSH', ring, group) end
call('ZREM', lane, id)
call('HSET', row, 'state', 'active', 'attempts', attempts + 1)
call('HDEL', row, 'lapsed')
call('ZADD', base .. 'active', deadline, id)
local in_flight = call('HINCRBY', base .. 'gactive', group, 1)
local limit = tonumber(call('HGET', base .. 'glimit', group))
if call('ZCARD', lane) == 0 or (limit and in_flight >= limit) then call('LREM', ring, 0, group) end
if call('LLEN', ring) > 0 and call('LLEN', base .. 'wake') == 0 then
  call('LPUSH', base .. 'wake', '1')
end
local fields = call('HMGET', row, 'payload', 'forgiven')
return { fields[1] or '', tonumber(fields[2]) or 0, string.format('%.0f', deadline) }
"""


class SplitValkey(SyncVerbs):
    """`claim` as two scripts: one finds the job, the other leases it."""

    def __init__(self, url: str) -> None:
        self._whole = ValkeyBackend.from_url(url)
        self._client = redis.Redis.from_url(url)

    def close(self) -> None:
        self._whole.close()
        self._client.close()

    def _perform(self, op: ops.Op[A]) -> A:
        if isinstance(op, ops.Claim):
            return cast("A", self._claim(op))
        return self._whole._perform(op)

    def _claim(self, op: ops.Claim) -> Job | Empty:
        keys = Keyspace(op.queue)
        found = cast("list[bytes]", self._client.eval(_LOOK, 2, keys.base, keys.meta))
        if found[0] != b"job":
            return Empty(cast("Any", found[0].decode()))
        group, job_id, attempts = (part.decode() for part in found[1:])
        lease = cast(
            "list[Any]",
            self._client.eval(
                _WRITE_CLAIM, 2, keys.base, keys.meta, group, job_id, attempts, op.lease_ms
            ),
        )
        token = int(attempts) + 1
        return Job(job_id, group, lease[0], token, token - lease[1], int(lease[2]))


_AGE = """#!lua
for _, name in ipairs({ 'active', 'schedule' }) do
  for _, id in ipairs(redis.call('ZRANGE', KEYS[1] .. name, 0, -1)) do
    redis.call('ZINCRBY', KEYS[1] .. name, -ARGV[1], id)
  end
end
"""


def split_valkey_target(server: EmbeddedServer) -> Target:
    door = redis.Redis(unix_socket_path=str(server.socket_path))

    @contextmanager
    def opened(clock: Clock | None) -> Iterator[Backend]:
        with SplitValkey(server.url) as backend:
            yield backend

    def advance(queue: str, ms: int) -> None:
        keys = Keyspace(queue)
        door.eval(_AGE, 2, keys.base, keys.meta, ms)

    return Target(
        "SplitValkey",
        "1",
        CLAIMS | {"durable"},
        lambda queue, job_id: None,
        open=opened,
        advance=advance,
        peer=lambda: partial(SplitValkey, server.url),
    )
