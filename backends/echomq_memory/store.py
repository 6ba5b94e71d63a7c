"""A store: the queues of one process under one lock, one clock, and who is parked on them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from typing import TypeVar, cast

from echomq_core import NewJob, NotApplied, ServerInfo, mint_job_id, ops

from .clock import Clock, SystemClock
from .model import QueueModel
from .parking import Parked, ParkingLot

__all__ = ["Session", "Store"]

A = TypeVar("A")


class Session:
    """One backend's use of a store, open until it is closed. Changed under the store's lock."""

    __slots__ = ("open",)

    def __init__(self) -> None:
        self.open = True


class Store:
    """What a sync and an async backend may share. Every verb is atomic under its lock.

    `mint` names the jobs that came without an id, from the real clock whatever `clock` says.
    `on_unused` is called, without the lock, whenever the last session has closed.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        mint: Callable[[], str] = mint_job_id,
        on_unused: Callable[[], None] = lambda: None,
    ) -> None:
        self._clock: Clock = clock or SystemClock()
        self._mint = mint
        self._on_unused = on_unused
        self._lock = threading.Lock()
        self._queues: dict[str, QueueModel] = {}
        self._sessions: set[Session] = set()
        self._parking = ParkingLot()

    # --- sessions -----------------------------------------------------------------------------

    def open_session(self) -> Session:
        session = Session()
        with self._lock:
            self._sessions.add(session)
        return session

    def close_session(self, session: Session) -> None:
        """No verb of this session takes effect any more; its parked calls are released."""
        with self._lock:
            if not session.open:
                return
            session.open = False
            self._sessions.discard(session)
            self._parking.release(session)
            unused = not self._sessions
        if unused:
            self._on_unused()

    @property
    def in_use(self) -> bool:
        with self._lock:
            return bool(self._sessions)

    # --- verbs --------------------------------------------------------------------------------

    def perform(self, session: Session, op: ops.QueueOp[A]) -> A:
        """Carry out one verb now. Raises `NotApplied` once the session is closed."""
        with self._lock:
            self._must_be_open(session, op.verb)
            model = self._model(op)
            answer = model.apply(self._named(model, op), self._clock.now_ms())
            self._grant(op.queue, model)
            return answer

    def check(self, session: Session, op: ops.Check) -> ServerInfo:
        with self._lock:
            self._must_be_open(session, op.verb)
        return ServerInfo(
            product="memory",
            version=_package_version(),
            topology="process",
            scripts=True,
            eviction="noeviction",
            persistence="none",
            warnings=("jobs live in this process alone and are lost when it ends",),
        )

    def park(self, session: Session, op: ops.Park, parked: Parked) -> bool:
        """Take a token that is there (true), else queue up behind those parked before (false)."""
        with self._lock:
            self._must_be_open(session, op.verb)
            if self._model(op).apply(op, self._clock.now_ms()):
                return True
            if op.timeout_ms:
                self._parking.add(op.queue, session, parked)
            return False

    def unpark(self, queue: str, parked: Parked, *, give_back: bool = False) -> bool:
        """Stop waiting; whether a token had been granted. `give_back`: the caller cannot use it,
        so it goes to the next one parked, or back to the queue."""
        with self._lock:
            self._parking.remove(queue, parked)
            if parked.granted and give_back:
                model = self._queues[queue]
                model.state.leave_token()
                self._grant(queue, model)
            return parked.granted

    def parked(self, queue: str) -> int:
        """How many calls are parked on a queue now."""
        with self._lock:
            return self._parking.waiting(queue)

    def lose_row(self, queue: str, job_id: str) -> bool:
        """Back door for tests: the row vanishes, its entry stays as a ghost (GHOST-1). Whether
        there was a row. No verb does this."""
        with self._lock:
            model = self._queues.get(queue)
            return model is not None and model.lose_row(job_id)

    def _must_be_open(self, session: Session, verb: str) -> None:
        if not session.open:
            raise NotApplied(verb, "the backend is closed")

    def _model(self, op: ops.QueueOp[A]) -> QueueModel:
        """The queue of an operation; a read makes none that lasts."""
        model = self._queues.get(op.queue)
        if model is None:
            model = QueueModel(op.queue)
            if not op.reads:
                self._queues[op.queue] = model
        return model

    def _grant(self, queue: str, model: QueueModel) -> None:
        """Tokens go to the longest parked first (WAKE-1)."""
        while model.state.wakes and self._parking.grant(queue):
            model.state.wakes -= 1

    # --- minting (KEYS-4) ---------------------------------------------------------------------

    def _named(self, model: QueueModel, op: ops.QueueOp[A]) -> ops.QueueOp[A]:
        """The operation with an id for every job that came without one."""
        if isinstance(op, ops.Enqueue) and op.job_id is None:
            return cast("ops.QueueOp[A]", replace(op, job_id=self._fresh_id(model, set())))
        if isinstance(op, ops.EnqueueMany):
            taken = {item.job_id for item in op.items if item.job_id is not None}
            items = (
                item if item.job_id is not None else self._named_item(model, item, taken)
                for item in op.items
            )
            return cast("ops.QueueOp[A]", replace(op, items=tuple(items)))
        return op

    def _named_item(self, model: QueueModel, item: NewJob, taken: set[str]) -> NewJob:
        return replace(item, job_id=self._fresh_id(model, taken))

    def _fresh_id(self, model: QueueModel, taken: set[str]) -> str:
        """A minted id that is taken would be answered *duplicate*: it is minted again."""
        job_id = self._mint()
        while job_id in model.state.rows or job_id in taken:
            job_id = self._mint()
        taken.add(job_id)
        return job_id


def _package_version() -> str:
    try:
        return version("echomq")
    except PackageNotFoundError:
        return "unknown"
