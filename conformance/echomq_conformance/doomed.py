"""The life of a client that may be killed at any step, and what runs it in its own process.

The client announces each step over a pipe and waits for leave; so the parent can end it between
any two steps, or let it go on and end it while the call is under way.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection

from echomq_core import Job, NewJob, encode_id, ops

from .clients import perform
from .encoding import encode_op
from .history import History
from .ledger import claimed
from .processes import Peer
from .programs import Move, settled

__all__ = ["LEASE_MS", "LIVES", "QUEUE", "Life", "live"]

QUEUE = "q"
"""The label of the queue in every life."""

LEASE_MS = 60_000

_ANY_ID = encode_id("JOB", 1)


@dataclass(frozen=True, slots=True)
class Life:
    """Verb calls in order; `None` is the handler at work. `profiles`: where its verbs are from."""

    name: str
    moves: tuple[Move | None, ...]
    profiles: frozenset[str] = frozenset()

    def step_name(self, number: int) -> str:
        """What comes at a step, for messages."""
        if number == len(self.moves):
            return "its end"
        move = self.moves[number]
        return "handling" if move is None else move.op.verb


_CLAIM = Move(ops.Claim(QUEUE, LEASE_MS))
_COMPLETE = Move(ops.Complete(QUEUE, _ANY_ID, 1), hand=0)
_RETRY = Move(ops.Retry(QUEUE, _ANY_ID, 1, 5_000, 1_000, "broke"), hand=0)
_RELEASE = Move(ops.Release(QUEUE, _ANY_ID, 1), hand=0)
_EXTEND = Move(ops.Extend(QUEUE, _ANY_ID, 1, 2 * LEASE_MS), hand=0)
_COMPLETE_TWO = Move(ops.CompleteMany(QUEUE, ((_ANY_ID, 1),)), hand=0)
_EXTEND_TWO = Move(ops.ExtendMany(QUEUE, ((_ANY_ID, 1),), LEASE_MS), hand=0)
_HANDLE = None

_BULK = frozenset({"bulk"})

LIVES: tuple[Life, ...] = (
    Life("claim, complete", (_CLAIM, _HANDLE, _COMPLETE)),
    Life("claim, extend, complete", (_CLAIM, _EXTEND, _HANDLE, _COMPLETE)),
    Life("claim, retry", (_CLAIM, _HANDLE, _RETRY)),
    Life("claim, release", (_CLAIM, _RELEASE)),
    Life("two claims, two settles", (_CLAIM, _CLAIM, _RELEASE, _CLAIM, _COMPLETE)),
    Life("sweeps", (Move(ops.Reap(QUEUE, 10)), Move(ops.Promote(QUEUE, 10)), _CLAIM)),
    Life("admission", (Move(ops.Enqueue(QUEUE, "h", b"new", encode_id("JOB", 90))), _CLAIM)),
    Life(
        "many at once",
        (Move(ops.ClaimMany(QUEUE, LEASE_MS, 4)), _EXTEND_TWO, _HANDLE, _COMPLETE_TWO),
        _BULK,
    ),
    Life("a batch", (Move(ops.BClaim(QUEUE, LEASE_MS, 2)), _HANDLE, _COMPLETE_TWO), _BULK),
    Life(
        "many admitted",
        (
            Move(
                ops.EnqueueMany(
                    QUEUE,
                    tuple(NewJob("k", b"new", encode_id("JOB", 91 + n)) for n in range(3)),
                )
            ),
        ),
        _BULK,
    ),
    Life(
        "a weighted turn",
        (Move(ops.WClaim(QUEUE, LEASE_MS)), _HANDLE, _COMPLETE, _CLAIM),
        frozenset({"control"}),
    ),
    Life(
        "a park",
        (Move(ops.Park(QUEUE, 0)), _CLAIM, _HANDLE, _COMPLETE),
        frozenset({"wake"}),
    ),
)


def live(peer: Peer, pipe: Connection, queue: str, moves: Sequence[Move | None]) -> None:
    """Announce, wait for leave, do, tell; and at the end wait to be killed.

    A message is `before N CALL` (JSON of the call, or `null`) or `did HISTORY`.
    """
    held: list[Job] = []
    with peer.opened() as backend:
        for number, move in enumerate(moves):
            op = None if move is None else settled(move, held)
            pipe.send(f"before {number} {json.dumps(None if op is None else encode_op(op))}")
            pipe.recv()
            if op is None:
                continue
            each = perform(backend, op, {QUEUE: queue}, 1, 0)
            if each is not None:
                held += claimed(each.answer)
            pipe.send(f"did {History(() if each is None else (each,)).to_json()}")
        pipe.send(f"before {len(moves)} null")
        pipe.recv()
