"""Queues in memory: the oracle (`QueueModel`) and the backend for unit tests.

with MemoryBackend() as backend:
    backend.enqueue("mail", "tenant-1", b"hello")
    job = backend.claim("mail", lease_ms=30_000)
"""

from .clock import Clock, ManualClock, SystemClock
from .faces import AsyncMemoryBackend, MemoryBackend
from .frozen import FrozenQueue
from .model import QueueModel
from .provide import provider
from .store import Store

__all__ = [
    "AsyncMemoryBackend",
    "Clock",
    "FrozenQueue",
    "ManualClock",
    "MemoryBackend",
    "QueueModel",
    "Store",
    "SystemClock",
    "provider",
]
