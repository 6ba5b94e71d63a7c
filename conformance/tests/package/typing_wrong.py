"""Mistakes that the public types must catch, each marked with the error it deserves. Never run."""

from __future__ import annotations

from echomq_memory import MemoryBackend
from echomq_valkey import ValkeyBackend

from echomq_core import AsyncBackend, Backend, Empty, FullBackend, NewJob, open_backend

open_backend(b"memory://")  # error: arg-type
ValkeyBackend.from_url("valkey://localhost", wait_replica=1)  # error: call-arg
MemoryBackend(clock=3)  # error: arg-type


def payload_is_text(backend: Backend) -> None:
    backend.enqueue("q", "g", "payload")  # error: arg-type


def reads_a_job_without_looking(backend: Backend) -> bytes:
    return backend.claim("q", 30_000).payload  # error: union-attr


def forgets_the_token(backend: Backend) -> None:
    backend.complete("q", "JOB00000000001")  # error: call-arg


def a_core_backend_has_no_bulk_verbs(backend: Backend) -> None:
    backend.enqueue_many("q", [NewJob("g", b"1")])  # error: attr-defined


def changes_an_answer(backend: FullBackend) -> None:
    backend.stats("q").pending = 0  # error: misc


def a_reason_is_no_text_of_ones_own() -> Empty:
    return Empty("nothing there")  # error: arg-type


async def forgets_to_await(backend: AsyncBackend) -> str:
    return backend.claim("q", 30_000)  # error: return-value
