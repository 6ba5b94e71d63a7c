"""EchoMQ queues in one SQLite file, for the threads and processes of one machine.

Read `schema`, `tables`, `verbs`, `backend`, in this order; each is short. `target` is what the
conformance kit is given.
"""

from .backend import SqliteBackend, provider

__all__ = ["SqliteBackend", "provider"]

__version__ = "0.1.0"
