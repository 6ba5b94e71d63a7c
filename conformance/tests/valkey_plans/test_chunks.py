"""How bulk verbs are split: CONN-5 and the limits of chapter "Arguments"."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from echomq_valkey.calls import Call, ScriptCall

from echomq_core import (
    CompleteVerdict,
    Enqueued,
    ExtendVerdict,
    NewJob,
    WrongKeyType,
    encode_id,
    ops,
)

from .playing import QUEUE, plausible, play

MIB = 1024 * 1024
MOST_ARGUMENTS = 3_900
COMMAND = 3  # EVALSHA, the digest and the number of keys stand before the keys


def requests(op: ops.Op[Any]) -> tuple[Any, list[ScriptCall[Any]]]:
    answer, calls = play(op, plausible)
    return answer, [call for call in calls if isinstance(call, ScriptCall)]


def arguments(call: ScriptCall[Any]) -> int:
    return COMMAND + len(call.keys) + len(call.args)


def size(call: ScriptCall[Any]) -> int:
    return sum(len(arg) if isinstance(arg, bytes) else len(str(arg).encode()) for arg in call.args)


def ids(n: int) -> list[str]:
    return [encode_id("JOB", number) for number in range(1, n + 1)]


def jobs(n: int, payload: bytes = b"x") -> tuple[NewJob, ...]:
    return tuple(NewJob("g", payload, job_id) for job_id in ids(n))


def test_conn_5_bulk_admission_keeps_below_the_argument_limit_in_order() -> None:
    items = jobs(20_000)
    answer, calls = requests(ops.EnqueueMany(QUEUE, items))
    assert max(map(arguments, calls)) <= MOST_ARGUMENTS
    assert [arg for call in calls for arg in call.args[::5]] == [item.job_id for item in items]
    assert answer == [Enqueued(str(item.job_id), duplicate=False) for item in items]
    # No more requests than needed: two neighbours would not fit into one.
    assert all(
        arguments(one) + len(other.args) > MOST_ARGUMENTS for one, other in pairwise(calls[:-1])
    )


@pytest.mark.parametrize(
    ("n", "expected"), [(1, [1]), (1_000, [1_000]), (2_001, [1_000, 1_000, 1])]
)
def test_verb_bulk_at_most_a_thousand_items_in_one_request(n: int, expected: list[int]) -> None:
    pairs = tuple((job_id, 1) for job_id in ids(n))
    answer, calls = requests(ops.CompleteMany(QUEUE, pairs))
    assert [len(call.args) // 2 for call in calls] == expected
    assert [arg for call in calls for arg in call.args[::2]] == ids(n)
    assert answer == [CompleteVerdict.COMPLETED] * n


def test_verb_bulk_each_chunk_of_extensions_carries_the_lease() -> None:
    pairs = tuple((job_id, 3) for job_id in ids(1_500))
    answer, calls = requests(ops.ExtendMany(QUEUE, pairs, 77))
    assert [call.args[0] for call in calls] == [77, 77]
    assert [len(call.args) for call in calls] == [1 + 2_000, 1 + 1_000]
    assert answer == [ExtendVerdict.EXTENDED] * 1_500


@pytest.mark.parametrize(
    ("payload", "expected"),
    [(MIB - 200, [4, 4, 1]), (MIB, [3, 3, 3]), (3 * MIB, [1] * 9)],
)
def test_conn_5_several_items_carry_at_most_4_mib(payload: int, expected: list[int]) -> None:
    _, calls = requests(ops.EnqueueMany(QUEUE, jobs(9, b"x" * payload)))
    assert [len(call.args) // 5 for call in calls] == expected
    assert max(map(size, calls)) <= 4 * MIB


SMALL, LARGE = NewJob("g", b"x"), NewJob("g", b"x" * (5 * MIB))


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        ((SMALL, SMALL, LARGE, SMALL), [2, 1, 1]),
        ((LARGE, SMALL), [1, 1]),
        ((SMALL, LARGE), [1, 1]),
        ((LARGE, LARGE), [1, 1]),
    ],
)
def test_conn_5_larger_item_goes_alone(items: tuple[NewJob, ...], expected: list[int]) -> None:
    answer, calls = requests(ops.EnqueueMany(QUEUE, items))
    assert [len(call.args) // 5 for call in calls] == expected
    assert len(answer) == len(items)


def test_conn_5_names_count_in_bytes() -> None:
    """The groups alone make more than 4 MiB, as UTF-8: 256 bytes in 64 characters each."""
    items = tuple(NewJob("\N{GRINNING FACE}" * 64, b"x" * 8_000, job_id) for job_id in ids(700))
    _, calls = requests(ops.EnqueueMany(QUEUE, items))
    assert max(map(size, calls)) <= 4 * MIB


@pytest.mark.parametrize(
    "op",
    [
        ops.EnqueueMany(QUEUE, ()),
        ops.CompleteMany(QUEUE, ()),
        ops.ExtendMany(QUEUE, (), 1),
        ops.Depths(QUEUE, ()),
    ],
    ids=lambda op: op.verb,
)
def test_verb_bulk_no_items_no_request(op: ops.Op[Any]) -> None:
    answer, calls = requests(op)
    assert (len(answer), calls) == (0, [])


def test_conn_5_reads_of_many_lanes_are_split() -> None:
    groups = tuple(f"g{number}" for number in range(10_000))
    answer, calls = requests(ops.Depths(QUEUE, groups))
    assert max(map(arguments, calls)) <= MOST_ARGUMENTS
    assert tuple(answer) == groups


def test_conn_5_diagnosis_of_a_refused_bulk_verb_is_one_bounded_request() -> None:
    made: list[ScriptCall[Any]] = []

    def answer(call: Call[Any]) -> Any:
        assert isinstance(call, ScriptCall)
        made.append(call)
        if call.script == "diagnose":
            return (b"k", b"string", b"zset")
        raise WrongKeyType("unknown", "unknown", "unknown")

    items = tuple(NewJob(f"g{number}", b"x", job_id) for number, job_id in enumerate(ids(5_000)))
    with pytest.raises(WrongKeyType, match="'k' holds a string"):
        play(ops.EnqueueMany(QUEUE, items), answer)
    assert [call.script for call in made] == ["enqueue_many", "diagnose"]
    assert max(map(arguments, made)) <= MOST_ARGUMENTS
