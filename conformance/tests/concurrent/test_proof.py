"""The core of a history that cannot be, and its picture."""

from __future__ import annotations

from xml.etree import ElementTree

from echomq_conformance.linearize import Verdict, search
from echomq_conformance.proof import cut, prove
from echomq_conformance.timeline import as_svg, as_text

from echomq_core import QueueSnapshot, ops

from .histories import CLAIM, RING_EMPTY, A, B, C, D, Q, admitted, enqueue, history, job

LONG = history(
    (0, 0, 1, enqueue(A), admitted(A)),
    (0, 2, 3, ops.Depth(Q, "g"), 1),
    (0, 4, 5, ops.Complete(Q, D, 1), "gone"),
    (1, 10, 19, CLAIM, job(A)),
    (2, 11, 18, CLAIM, job(A)),
    (3, 12, 30, enqueue(B), admitted(B)),
    (1, 31, 32, enqueue(C), admitted(C)),
    (2, 33, 34, CLAIM, job(B)),
)


def test_the_core_is_what_a_reader_needs() -> None:
    """Later operations, reads and refusals go; an admission still under way has no reply yet."""
    proof = prove(LONG)
    assert proof is not None
    told = [(each.client, each.op.verb, each.known) for each in proof.core.operations]
    assert told == [
        (0, "enqueue", True),
        (1, "claim", True),
        (2, "claim", True),
        (3, "enqueue", False),
    ]
    assert proof.culprit == 1
    assert search(proof.core).verdict is Verdict.ILLEGAL


def test_the_longest_legal_prefix_is_legal() -> None:
    """All that had returned before the culprit fits an order, and that order is given."""
    proof = prove(LONG)
    assert proof is not None
    assert proof.legal == 4
    assert [each.op.verb for each in proof.order] == ["enqueue", "depth", "complete", "claim"]
    assert search(cut(LONG, 8)).verdict is Verdict.LEGAL


def test_the_message_names_the_clauses_and_what_was_right() -> None:
    """VERB-atomic first, then the verb's own clause; both what was due and what came."""
    proof = prove(LONG)
    assert proof is not None
    message = str(proof.violation())
    assert message.startswith("VERB-atomic: claim of client 1 (VERB-claim)")
    assert "Empty(ring_empty)" in message
    assert f"found Job({A}, group 'g', token 1)" in message


def test_of_a_snapshot_only_what_differs_is_told() -> None:
    """A lost admission shows in the rows and the lane, not in fields that are right."""
    told = history(
        (1, 0, 1, enqueue(A), admitted(A)),
        (0, 2, 3, ops.Snapshot(Q), QueueSnapshot(0, False)),
    )
    proof = prove(told)
    assert proof is not None
    violation = proof.violation()
    assert violation.expected.startswith("ring [g], lanes {g: [JOB00000000001]}, jobs {")
    assert violation.found == "ring [], lanes {}, jobs {}, wakes 0"


def test_a_legal_history_has_no_core() -> None:
    """There is nothing to prove."""
    assert prove(history((1, 0, 1, CLAIM, RING_EMPTY))) is None


def test_the_text_picture_shows_who_overlapped() -> None:
    """One row for each client; the culprit is marked; a call without a reply stays open."""
    proof = prove(LONG)
    assert proof is not None
    assert as_text(proof).splitlines()[:9] == [
        "client 0  |A|",
        "client 1      |B------|",
        "client 2        |C--|",
        "client 3          |D·····",
        "",
        f"   A  client 0: enqueue('a', group='g', payload=b'', job_id='{A}') -> {A} admitted",
        f">> B  client 1: claim('a', lease_ms=1000000000) -> Job({A}, group 'g', token 1)",
        f"   C  client 2: claim('a', lease_ms=1000000000) -> Job({A}, group 'g', token 1)",
        f"   D  client 3: enqueue('a', group='g', payload=b'', job_id='{B}')"
        " -> ? (no reply: it took effect later, or never)",
    ]


def test_the_svg_picture_has_a_box_for_each_operation() -> None:
    """Well-formed, one box each, the culprit in a class of its own."""
    proof = prove(LONG)
    assert proof is not None
    root = ElementTree.fromstring(as_svg(proof))
    boxes = [box.get("class") for box in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert boxes == ["op", "bad", "op", "open"]
