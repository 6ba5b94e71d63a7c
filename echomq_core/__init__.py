"""EchoMQ: fair job queues. The spec as types; no third-party import, no I/O.

Start with `open_backend(url)` or `open_async_backend(url)`.
"""

from . import errors, protocol, protocol_async, values
from .errors import *  # noqa: F403
from .ids import decode_id, encode_id, is_job_id, mint_job_id, minted_at_ms
from .keyspace import Keyspace, slot_of
from .protocol import *  # noqa: F403
from .protocol_async import *  # noqa: F403
from .registry import Provider, known_schemes, open_async_backend, open_backend
from .values import *  # noqa: F403

__all__ = [
    "Keyspace",
    "Provider",
    "decode_id",
    "encode_id",
    "is_job_id",
    "known_schemes",
    "mint_job_id",
    "minted_at_ms",
    "open_async_backend",
    "open_backend",
    "slot_of",
]
__all__ += errors.__all__
__all__ += protocol.__all__
__all__ += protocol_async.__all__
__all__ += values.__all__
