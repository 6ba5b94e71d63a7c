"""The rules that single arguments follow, at their edges (KEYS-3, KEYS-5, ARG-ids, ARG-choices)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from echomq_core import JobState, NewJob, checks, ops
from echomq_core.checks import MAX_ERROR_BYTES, MAX_PAYLOAD_BYTES, cut_error

from .argument_table import DOUBLE, GOOD, ID, NO_NAMES, TRILLION, accepted, refusal


@pytest.mark.parametrize("queue", ["q", "Emq", "emq.", "A-Z_a.z0", "-", ".", "x" * 128, "0", "EMQ"])
def test_keys_3_legal_queue_names(queue: str) -> None:
    assert accepted("claim", queue=queue) == ops.Claim(queue, 1)


@pytest.mark.parametrize(
    "name",
    [
        "a:b",
        ":pending",
        "g:x:pending",
        "{q}",
        "}",
        "ring",
        "0",
        " padded ",
        "名" * 85,
        "x" * 256,
        "é" * 128,
        "😀",
        "👩\u200d🚀",  # joined by U+200D, a format character and no control character
        "\u00a0",
        "\u2028",
        "e\u0301",  # two code points, not normalised into one
    ],
)
def test_keys_3_legal_names_of_groups_and_foreign_ids_are_kept_as_they_are(name: str) -> None:
    assert accepted("depth", group=name) == ops.Depth("q", name)
    assert accepted("complete", job_id=name) == ops.Complete("q", name, 1)


@pytest.mark.parametrize("verb", [v for v, a in GOOD.items() if "job_id" in a and v != "enqueue"])
def test_arg_ids_verbs_but_enqueue_take_foreign_ids(verb: str) -> None:
    op: Any = accepted(verb, job_id="order:17")
    assert op.job_id == "order:17"


@pytest.mark.parametrize("job_id", ["JOB00000000000", "JOBAzL8n0Y58m7", None])
def test_arg_ids_enqueue_takes_job_ids_or_mints(job_id: str | None) -> None:
    op: Any = accepted("enqueue", job_id=job_id)
    assert op.job_id == job_id


def test_keys_5_the_longest_payload_is_a_kibibyte_less_than_512_mebibytes() -> None:
    assert MAX_PAYLOAD_BYTES == 512 * 2**20 - 2**10


def test_keys_5_a_payload_is_refused_from_one_byte_beyond_the_longest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(checks, "MAX_PAYLOAD_BYTES", 1_000)
    accepted("enqueue", payload=b"x" * 1_000)
    error = refusal("enqueue", payload=b"x" * 1_001)
    assert error.argument == "payload"
    assert "1001" in error.rule
    assert len(str(error)) < 300
    assert refusal("enqueue_many", items=[NewJob("g", b"x" * 1_001)]).argument == "items[0].payload"


@pytest.mark.parametrize(("delay_ms", "run_at_ms"), [(1, 0), (TRILLION, DOUBLE), (1, 1)])
def test_arg_choices_a_delay_and_a_time_exclude_each_other(delay_ms: int, run_at_ms: int) -> None:
    error = refusal("enqueue", delay_ms=delay_ms, run_at_ms=run_at_ms)
    assert error.argument == "run_at_ms"
    assert str(delay_ms) in error.rule


def test_arg_choices_no_delay_and_a_time_go_together() -> None:
    accepted("enqueue", delay_ms=0, run_at_ms=0)
    accepted("enqueue", delay_ms=1, run_at_ms=None)


def test_arg_choices_explain_takes_exactly_one_subject() -> None:
    accepted("explain", job_id=None, group="g")
    assert refusal("explain", job_id=None, group=None).argument == "job_id"
    assert refusal("explain", job_id=ID, group="g").argument == "job_id"


@pytest.mark.parametrize("group", NO_NAMES)
def test_arg_refused_a_wrong_group_of_explain_is_named(group: object) -> None:
    assert refusal("explain", job_id=None, group=group).argument == "group"


@pytest.mark.parametrize("state", ["pending", "active", "scheduled", "dead"])
def test_arg_choices_browse_takes_a_state_or_its_text(state: str) -> None:
    op: Any = accepted("browse", state=state)
    assert op.state is JobState(state)
    assert accepted("browse", state=JobState(state)) == op


@pytest.mark.parametrize("cursor", [None, "", "opaque"])
def test_arg_choices_a_cursor_is_text_or_none(cursor: str | None) -> None:
    op: Any = accepted("lanes", cursor=cursor)
    assert op.cursor == cursor


FINE = NewJob("g", b"")


@pytest.mark.parametrize(
    ("verb", "arguments", "argument"),
    [
        ("enqueue_many", {"items": [FINE, FINE, FINE, NewJob("g", "x")]}, "items[3].payload"),  # type: ignore[arg-type]
        ("enqueue_many", {"items": [NewJob("", b"")]}, "items[0].group"),
        ("enqueue_many", {"items": [FINE, NewJob("g", b"", "nope")]}, "items[1].job_id"),
        ("enqueue_many", {"items": [FINE, NewJob("g", b"", ID, -1)]}, "items[1].delay_ms"),
        ("enqueue_many", {"items": [NewJob("g", b"", ID, 0, -1)]}, "items[0].run_at_ms"),
        ("enqueue_many", {"items": [NewJob("g", b"", ID, 1, 1)]}, "items[0].run_at_ms"),
        ("enqueue_many", {"items": [FINE, ("g", b"")]}, "items[1]"),
        ("enqueue_many", {"items": [FINE, None]}, "items[1]"),
        ("complete_many", {"pairs": [(ID, 1), (ID, 0)]}, "pairs[1].token"),
        ("complete_many", {"pairs": [(ID, True)]}, "pairs[0].token"),
        ("complete_many", {"pairs": [("", 1)]}, "pairs[0].job_id"),
        ("complete_many", {"pairs": [(ID, 1, 2)]}, "pairs[0]"),
        ("complete_many", {"pairs": [ID]}, "pairs[0]"),
        ("complete_many", {"pairs": [(ID, 1), None]}, "pairs[1]"),
        ("extend_many", {"pairs": [(ID, 2**53)]}, "pairs[0].token"),
        ("extend_many", {"pairs": [("a\n", 1)]}, "pairs[0].job_id"),
        ("extend_many", {"pairs": [], "lease_ms": 0}, "lease_ms"),
        ("depths", {"groups": ["g", "h", ""]}, "groups[2]"),
        ("depths", {"groups": [b"g"]}, "groups[0]"),
    ],
)
def test_arg_items_a_wrong_item_is_named_by_index_and_field(
    verb: str, arguments: dict[str, object], argument: str
) -> None:
    assert refusal(verb, **arguments).argument == argument


@pytest.mark.parametrize(
    ("verb", "argument"),
    [
        ("enqueue_many", "items"),
        ("complete_many", "pairs"),
        ("extend_many", "pairs"),
        ("depths", "groups"),
    ],
)
@pytest.mark.parametrize("nothing", [[], (), iter(())])
def test_arg_items_no_items_are_legal(verb: str, argument: str, nothing: Sequence[object]) -> None:
    assert getattr(accepted(verb, **{argument: nothing}), argument) == ()


def test_arg_items_any_iterable_of_items_is_taken_once() -> None:
    op: Any = accepted("enqueue_many", items=(NewJob("g", bytes([n])) for n in range(3)))
    assert [item.payload for item in op.items] == [b"\x00", b"\x01", b"\x02"]


@pytest.mark.parametrize("text", ["", "x", "x" * MAX_ERROR_BYTES, "é" * 2_048, "😀" * 1_024])
def test_verb_retry_an_error_within_4096_bytes_is_kept_whole(text: str) -> None:
    assert cut_error(text) == text


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("x" * 4_097, "x" * 4_096),
        ("x" * 4_095 + "é", "x" * 4_095),
        ("x" * 4_094 + "é" + "z", "x" * 4_094 + "é"),
        ("x" * 4_094 + "名", "x" * 4_094),
        ("x" * 4_095 + "😀", "x" * 4_095),
        ("x" * 4_093 + "😀", "x" * 4_093),
        ("x" * 4_092 + "😀" + "z", "x" * 4_092 + "😀"),
        ("é" * 2_049, "é" * 2_048),
        ("a" + "é" * 2_048, "a" + "é" * 2_047),
    ],
)
def test_verb_retry_a_longer_error_is_cut_at_a_character_boundary(text: str, kept: str) -> None:
    assert cut_error(text) == kept


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("\ud800", "?"),
        ("a\udc00b", "a?b"),
        ("\ud83d\ude00", "??"),  # two lone surrogates, not one emoji
        ("\ud800" * 5_000, "?" * 4_096),
    ],
)
def test_verb_retry_lone_surrogates_of_an_error_are_replaced(text: str, kept: str) -> None:
    assert cut_error(text) == kept


def test_verb_retry_an_error_of_any_length_is_never_refused() -> None:
    op: Any = accepted("retry", error="\ud800" + "x" * 1_000_000)
    assert op.error.startswith("\ud800x")


def test_arg_refused_a_rule_of_the_spec_names_its_clause() -> None:
    for verb, argument, value in (("claim", "queue", "a b"), ("depth", "group", "\n")):
        assert "(KEYS-3)" in refusal(verb, **{argument: value}).rule
    assert "KEYS-4" in refusal("enqueue", job_id="nope").rule
    assert "KEYS-5" in refusal("enqueue", payload="text").rule
