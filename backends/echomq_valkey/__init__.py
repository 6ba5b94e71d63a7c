"""EchoMQ on Valkey and Redis: every verb one script, over redis-py. Needs `echomq[valkey]`."""

from importlib.util import find_spec

from echomq_core.errors import MissingExtra

if find_spec("redis") is None:
    raise MissingExtra("valkey", "redis")

from .backend import ValkeyBackend
from .backend_async import AsyncValkeyBackend
from .embedded import EmbeddedServer
from .embedded_cluster import EmbeddedCluster

__all__ = ["AsyncValkeyBackend", "EmbeddedCluster", "EmbeddedServer", "ValkeyBackend"]
