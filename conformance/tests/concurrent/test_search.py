"""The search for a legal order, on histories written by hand (VERB-atomic)."""

from __future__ import annotations

import pytest
from echomq_conformance.history import History
from echomq_conformance.linearize import Verdict, search

from echomq_core import NewJob, Stats, ops

from .histories import (
    CLAIM,
    LEASE,
    QUEUE_PAUSED,
    RING_EMPTY,
    A,
    B,
    Q,
    admitted,
    enqueue,
    history,
    job,
)

BOTH = ops.EnqueueMany(Q, (NewJob("g", b"", A), NewJob("g", b"", B)))
BOTH_IN = [admitted(A), admitted(B)]
TWO = ops.ClaimMany(Q, LEASE, 2)
DEPTH = ops.Depth(Q, "g")

GOOD = {
    "nothing happened": history(),
    "one client, in order": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (0, 2, 3, CLAIM, job(A)),
        (0, 4, 5, ops.Complete(Q, A, 1), "completed"),
        (0, 6, 7, CLAIM, RING_EMPTY),
    ),
    "overlapping claims, the later call was served first": history(
        (0, 0, 1, BOTH, BOTH_IN),
        (1, 2, 9, CLAIM, job(B)),
        (2, 3, 4, CLAIM, job(A)),
    ),
    "a claim overlaps the admission that it serves, though it was called first": history(
        (1, 0, 9, CLAIM, job(A)),
        (2, 3, 4, enqueue(A), admitted(A)),
    ),
    "a claim overlaps an admission and misses it": history(
        (1, 0, 9, CLAIM, RING_EMPTY),
        (2, 3, 4, enqueue(A), admitted(A)),
    ),
    "an admission without a reply took effect": history(
        (1, 0, None, enqueue(A), None),
        (2, 5, 6, CLAIM, job(A)),
    ),
    "an admission without a reply took effect later": history(
        (1, 0, None, enqueue(A), None),
        (2, 5, 6, CLAIM, RING_EMPTY),
        (2, 7, 8, CLAIM, job(A)),
    ),
    "an admission without a reply never took effect": history(
        (1, 0, None, enqueue(A), None),
        (2, 5, 6, CLAIM, RING_EMPTY),
    ),
    "a claim without a reply took the job": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (1, 2, None, CLAIM, None),
        (2, 5, 6, CLAIM, RING_EMPTY),
    ),
    "a client goes on before its call without a reply takes effect": history(
        (1, 0, None, enqueue(A), None),
        (1, 1, 2, enqueue(B), admitted(B)),
        (1, 3, 4, CLAIM, job(B)),
        (1, 5, 6, CLAIM, job(A)),
    ),
    "two lanes at once, the first of them joined the ring first": history(
        (1, 0, 5, enqueue(A, "g"), admitted(A)),
        (2, 1, 6, enqueue(B, "h"), admitted(B)),
        (0, 7, 8, CLAIM, job(A, "g")),
    ),
    "two lanes at once, the second of them joined the ring first": history(
        (1, 0, 5, enqueue(A, "g"), admitted(A)),
        (2, 1, 6, enqueue(B, "h"), admitted(B)),
        (0, 7, 8, CLAIM, job(B, "h")),
    ),
    "a claim between the items of a bulk admission": history(
        (1, 0, 9, BOTH, BOTH_IN),
        (2, 1, 2, DEPTH, 1),
        (2, 3, 4, DEPTH, 2),
    ),
    "half of a bulk admission without a reply": history(
        (1, 0, None, BOTH, None),
        (2, 5, 6, CLAIM, job(A)),
        (2, 7, 8, CLAIM, RING_EMPTY),
    ),
    "of two completes at once one finds the job": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (0, 2, 3, CLAIM, job(A)),
        (1, 4, 8, ops.Complete(Q, A, 1), "gone"),
        (2, 5, 7, ops.Complete(Q, A, 1), "completed"),
    ),
}

BAD = {
    "one job for two clients": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (1, 2, 9, CLAIM, job(A)),
        (2, 3, 8, CLAIM, job(A)),
    ),
    "one job for two clients, with tokens that look right": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (1, 2, 9, CLAIM, job(A)),
        (2, 3, 8, CLAIM, job(A, token=2)),
    ),
    "a job is served before its admission was called": history(
        (1, 0, 1, CLAIM, job(A)),
        (2, 2, 3, enqueue(A), admitted(A)),
    ),
    "an admission that had returned is not seen": history(
        (1, 0, 1, enqueue(A), admitted(A)),
        (2, 2, 3, CLAIM, RING_EMPTY),
    ),
    "an admission is seen, then not": history(
        (1, 0, 9, enqueue(A), admitted(A)),
        (2, 1, 2, DEPTH, 1),
        (2, 3, 4, DEPTH, 0),
    ),
    "two completes of one claim": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (0, 2, 3, CLAIM, job(A)),
        (1, 4, 8, ops.Complete(Q, A, 1), "completed"),
        (2, 5, 7, ops.Complete(Q, A, 1), "completed"),
    ),
    "a ceiling is passed": history(
        (0, 0, 1, BOTH, BOTH_IN),
        (0, 2, 3, ops.Limit(Q, "g", 1), True),
        (1, 4, 9, CLAIM, job(A)),
        (2, 5, 8, CLAIM, job(B)),
    ),
    "a claim serves a queue whose pause had returned": history(
        (0, 0, 1, enqueue(A), admitted(A)),
        (1, 2, 3, ops.PauseQueue(Q), True),
        (2, 4, 5, CLAIM, job(A)),
    ),
    "the ring does not turn": history(
        (0, 0, 1, BOTH, BOTH_IN),
        (0, 2, 3, enqueue("JOB00000000009", "h"), admitted("JOB00000000009")),
        (1, 4, 8, CLAIM, job(A)),
        (2, 5, 9, CLAIM, job(B)),
    ),
    "the claims of one script are seen one by one": history(
        (0, 0, 1, BOTH, BOTH_IN),
        (1, 2, 9, TWO, [job(A), job(B)]),
        (2, 3, 4, DEPTH, 1),
    ),
    "the items of a bulk admission out of order": history(
        (1, 0, 9, BOTH, BOTH_IN),
        (2, 1, 2, CLAIM, job(B)),
        (2, 3, 4, CLAIM, job(A)),
    ),
    "a bulk verb that answers for one item of two": history((1, 0, 9, BOTH, [admitted(A)])),
    "a call without a reply explains one job and not two": history(
        (1, 0, None, enqueue(A), None),
        (2, 1, 2, CLAIM, job(A)),
        (3, 1, 2, CLAIM, job(A)),
    ),
    "a client errs after a call without a reply": history(
        (1, 0, None, enqueue(A), None),
        (1, 1, 2, CLAIM, job(B)),
    ),
    "a claim finds nothing while another is still to be served": history(
        (0, 0, 1, BOTH, BOTH_IN),
        (1, 2, 9, CLAIM, job(A)),
        (2, 3, 8, CLAIM, RING_EMPTY),
    ),
    "an answer of another kind": history((1, 0, 1, DEPTH, Stats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0))),
}


@pytest.mark.parametrize("told", GOOD.values(), ids=GOOD)
def test_verb_atomic_a_history_with_an_order_is_legal(told: History) -> None:
    """There is an order that the clauses allow."""
    assert search(told).verdict is Verdict.LEGAL


@pytest.mark.parametrize("told", BAD.values(), ids=BAD)
def test_verb_atomic_a_history_without_an_order_is_not(told: History) -> None:
    """No order of these operations is allowed by the clauses."""
    assert search(told).verdict is Verdict.ILLEGAL


def test_the_order_found_leaves_out_what_never_took_effect() -> None:
    """The witness: places in the history, in the order in which the model takes them."""
    told = history(
        (1, 0, None, enqueue(A), None),
        (2, 1, 9, CLAIM, RING_EMPTY),
        (3, 2, 3, ops.PauseQueue(Q), True),
        (3, 4, 5, CLAIM, QUEUE_PAUSED),
    )
    assert search(told).order == (1, 2, 3)


def test_a_search_that_gives_up_is_inconclusive() -> None:
    """A budget of nodes that is spent says nothing, for or against."""
    assert search(BAD["one job for two clients"], nodes=1).verdict is Verdict.INCONCLUSIVE
    assert search(GOOD["one client, in order"], nodes=1).verdict is Verdict.INCONCLUSIVE


def test_the_search_judges_one_queue_at_a_time() -> None:
    """Histories of several queues are split before: the parts decide."""
    told = history((1, 0, 1, CLAIM, RING_EMPTY), (1, 2, 3, ops.Claim("b", LEASE), RING_EMPTY))
    with pytest.raises(ValueError, match="one queue at a time"):
        search(told)
    assert [search(told.of_queue(label)).verdict for label in told.queues] == [
        Verdict.LEGAL,
        Verdict.LEGAL,
    ]
