"""Plans of the bulk verbs: chunks in order, one verdict for each item (VERB-bulk, CONN-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

from echomq_core import (
    CompleteVerdict,
    EchoMQError,
    Enqueued,
    ExtendVerdict,
    Fate,
    NewJob,
    OutcomeUnknown,
    TooFewReplicas,
    mint_job_id,
    ops,
)

from .calls import Arg, Steps
from .claims import admission_args, script
from .exchange import ErrorReply
from .parsing import as_text
from .replies import typed_error

T = TypeVar("T")

MAX_ITEMS = 1_000
MAX_BYTES = 4 * 1024 * 1024
MAX_ARGS = 3_800  # below CONN-5's 3,900, which counts the command and its keys too


def chunked(items: Sequence[tuple[Arg, ...]]) -> Iterator[Sequence[tuple[Arg, ...]]]:
    """Items in chunks within CONN-5; an item that is too large by itself goes alone."""
    start, size, count = 0, 0, 0
    for index, item in enumerate(items):
        item_size = sum(map(_wire_size, item))
        full = (
            index - start >= MAX_ITEMS
            or count + len(item) > MAX_ARGS
            or size + item_size > MAX_BYTES
        )
        if full and index > start:
            yield items[start:index]
            start, size, count = index, 0, 0
        size += item_size
        count += len(item)
    if start < len(items):
        yield items[start:]


def _wire_size(arg: Arg) -> int:
    """Bytes of an argument; text goes as UTF-8, and no number has more than 20 digits."""
    if isinstance(arg, int):
        return 20
    return len(arg if isinstance(arg, bytes) else arg.encode())


def _in_chunks(
    op: ops.QueueOp[Any],
    items: Sequence[tuple[Arg, ...]],
    verdict_of: Callable[[Any], T],
    *leading: Arg,
) -> Steps[list[T]]:
    """The verdicts of all items; a failure midway carries what is known of each (`verdicts`)."""
    verdicts: list[T] = []
    for chunk in chunked(items):
        args = [arg for item in chunk for arg in item]
        try:
            raw, refusal = yield script(op, tuple, *leading, *args)
        except TooFewReplicas as short:
            # The chunk stands on the primary; what comes after it was not sent.
            raw, _ = cast("tuple[Sequence[Any], Any]", short.answer)
            verdicts += [verdict_of(answer) for answer in raw]
            short.verdicts = [*verdicts, *[Fate.NOT_APPLIED] * (len(items) - len(verdicts))]
            raise
        except EchoMQError as error:
            fate = Fate.UNKNOWN if isinstance(error, OutcomeUnknown) else Fate.NOT_APPLIED
            rest = len(items) - len(verdicts) - len(chunk)
            error.verdicts = [*verdicts, *[fate] * len(chunk), *[Fate.NOT_APPLIED] * rest]
            raise
        verdicts += [verdict_of(answer) for answer in raw]
        if refusal:
            code, _, text = as_text(refusal).partition(" ")
            refused = typed_error(ErrorReply(code, text), op.verb, reads=False)
            unknown = isinstance(refused, OutcomeUnknown)
            missing = len(items) - len(verdicts)
            refused.verdicts = [
                *verdicts,
                Fate.UNKNOWN if unknown else Fate.NOT_APPLIED,
                *[Fate.NOT_APPLIED] * (missing - 1),
            ]
            raise refused
    return verdicts


def enqueue_many(op: ops.EnqueueMany) -> Steps[list[Enqueued]]:
    """Items whose id we minted and that another process has are minted again (KEYS-4)."""
    answers: list[Enqueued | None] = [None] * len(op.items)
    waiting = list(range(len(op.items)))
    while waiting:
        ids = [op.items[index].job_id or mint_job_id() for index in waiting]
        items = [
            admission_args(op.items[index], job_id)
            for index, job_id in zip(waiting, ids, strict=True)
        ]
        try:
            duplicates = yield from _in_chunks(op, items, bool)
        except EchoMQError as error:
            error.verdicts = _merge(op.items, answers, waiting, ids, error.verdicts or [])
            raise
        again = []
        for index, job_id, duplicate in zip(waiting, ids, duplicates, strict=True):
            if duplicate and op.items[index].job_id is None:
                again.append(index)
            else:
                answers[index] = Enqueued(job_id, duplicate)
        waiting = again
    return [answer for answer in answers if answer is not None]


def _merge(
    items: Sequence[NewJob],
    answers: Sequence[Enqueued | None],
    waiting: Sequence[int],
    ids: Sequence[str],
    verdicts: Sequence[object],
) -> list[object]:
    merged: list[object] = list(answers)
    for index, job_id, verdict in zip(waiting, ids, verdicts, strict=True):
        if isinstance(verdict, Fate):
            merged[index] = verdict
        elif verdict and items[index].job_id is None:
            merged[index] = Fate.NOT_APPLIED
        else:
            merged[index] = Enqueued(job_id, bool(verdict))
    return merged


def complete_many(op: ops.CompleteMany) -> Steps[list[CompleteVerdict]]:
    return (yield from _in_chunks(op, op.pairs, lambda raw: CompleteVerdict(as_text(raw))))


def extend_many(op: ops.ExtendMany) -> Steps[list[ExtendVerdict]]:
    return (
        yield from _in_chunks(op, op.pairs, lambda raw: ExtendVerdict(as_text(raw)), op.lease_ms)
    )
