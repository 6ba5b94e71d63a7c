"""Branded ids: the codec, its order, and the mint (KEYS-4)."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_core import decode_id, encode_id, ids, is_job_id, mint_job_id, minted_at_ms
from echomq_core.ids import Mint

EPOCH_MS = 1_704_067_200_000  # 2024-01-01T00:00:00Z
LARGEST = 2**63 - 1

numbers = st.integers(min_value=0, max_value=LARGEST)


def fields(job_id: str) -> tuple[int, int, int]:
    """Milliseconds since the epoch, node and sequence of an id."""
    number = decode_id(job_id)
    return number >> 22, number >> 12 & 0x3FF, number & 0xFFF


def ticking(*times_ms: int) -> Mint:
    """A mint whose clock shows these times one after another, then stays at the last."""
    left: Iterator[int] = iter(times_ms)
    return Mint(lambda: next(left, times_ms[-1]))


@pytest.mark.parametrize(
    ("brand", "number", "branded"),
    [
        ("USR", 274557032793636864, "USR0KHTOWnGLuC"),
        ("USR", 320636799581945856, "USR0NgWEfAEJfs"),
        ("JOB", 0, "JOB00000000000"),
        ("JOB", 9, "JOB00000000009"),
        ("JOB", 10, "JOB0000000000A"),
        ("JOB", 35, "JOB0000000000Z"),
        ("JOB", 36, "JOB0000000000a"),
        ("JOB", 61, "JOB0000000000z"),
        ("JOB", 62, "JOB00000000010"),
        ("JOB", LARGEST, "JOBAzL8n0Y58m7"),
    ],
)
def test_keys_4_known_pairs_of_number_and_id(brand: str, number: int, branded: str) -> None:
    assert encode_id(brand, number) == branded
    assert decode_id(branded) == number


@pytest.mark.parametrize("number", [-1, LARGEST + 1, 2**64])
def test_keys_4_a_number_outside_of_63_bits_has_no_id(number: int) -> None:
    with pytest.raises(ValueError, match=str(number)):
        encode_id("JOB", number)


@pytest.mark.parametrize("brand", ["", "JO", "JOBS", "job", "J0B", "ÄÖÜ", "JO "])
def test_keys_4_a_brand_is_three_upper_case_letters(brand: str) -> None:
    with pytest.raises(ValueError, match="upper-case"):
        encode_id(brand, 1)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "JOB",
        "JOB0000000000",  # ten digits
        "JOB000000000000",  # twelve
        "JOBAzL8n0Y58m8",  # one above the largest
        "JOBzzzzzzzzzzz",
        "job00000000000",
        "JOB0000000000-",
        "JOB000000 0000",
        "JOB0000000000\n",
        "JOB0000000000é",
        "JOB٠٠٠٠٠٠٠٠٠٠٠",  # digits of another script
        "J0B00000000000",
    ],
)
def test_keys_4_what_is_no_id_is_refused(text: str) -> None:
    assert not is_job_id(text)
    assert minted_at_ms(text) is None
    with pytest.raises(ValueError, match="no branded id"):
        decode_id(text)


def test_keys_4_an_id_of_another_brand_is_no_job_id_but_decodes() -> None:
    assert not is_job_id("USR0KHTOWnGLuC")
    assert is_job_id("JOB0KHTOWnGLuC")
    assert decode_id("JOB0KHTOWnGLuC") == decode_id("USR0KHTOWnGLuC")


@given(numbers)
def test_keys_4_every_number_comes_back_from_its_id(number: int) -> None:
    branded = encode_id("JOB", number)
    assert len(branded.encode()) == 14
    assert is_job_id(branded)
    assert decode_id(branded) == number


@given(numbers, numbers)
def test_keys_4_byte_order_of_ids_is_the_order_of_numbers(one: int, other: int) -> None:
    by_bytes = encode_id("JOB", one).encode() < encode_id("JOB", other).encode()
    assert by_bytes == (one < other)


@given(numbers)
def test_keys_4_the_mint_time_is_the_upper_41_bits(number: int) -> None:
    assert minted_at_ms(encode_id("JOB", number)) == EPOCH_MS + number // 2**22


def test_keys_4_an_id_carries_the_time_of_its_mint() -> None:
    job_id = ticking(EPOCH_MS + 123_456_789).mint()
    assert minted_at_ms(job_id) == EPOCH_MS + 123_456_789


def test_keys_4_a_burst_in_one_millisecond_increases_and_borrows_from_the_next() -> None:
    mint = ticking(EPOCH_MS + 1_000)
    minted = [mint.mint() for _ in range(10_000)]
    assert minted == sorted(set(minted))
    assert {node for _, node, _ in map(fields, minted)} == {fields(minted[0])[1]}
    # 10,000 ids need at least three times 4,096 places, whatever the first sequence is.
    assert fields(minted[0])[0] == 1_000
    assert fields(minted[-1])[0] in {1_002, 1_003}
    steps = [(ms << 12) + sequence for ms, _, sequence in map(fields, minted)]
    assert [b - a for a, b in pairwise(steps)] == [1] * 9_999


def test_keys_4_a_clock_that_steps_back_goes_on_counting() -> None:
    mint = ticking(EPOCH_MS + 5_000, EPOCH_MS + 4_000, EPOCH_MS, EPOCH_MS - 1, EPOCH_MS + 5_001)
    minted = [mint.mint() for _ in range(5)]
    assert minted == sorted(set(minted))
    assert fields(minted[4])[0] >= 5_001


def test_keys_4_a_clock_that_runs_on_starts_its_millisecond_afresh() -> None:
    mint = ticking(EPOCH_MS + 1, EPOCH_MS + 2)
    first, second = mint.mint(), mint.mint()
    assert (fields(first)[0], fields(second)[0]) == (1, 2)


def test_keys_4_node_and_first_sequence_are_drawn_at_random() -> None:
    drawn = [fields(ticking(EPOCH_MS + 1).mint()) for _ in range(64)]
    assert len({node for _, node, _ in drawn}) > 16
    assert len({sequence for _, _, sequence in drawn}) > 16


def test_keys_4_threads_of_one_process_mint_increasing_ids() -> None:
    minted: list[list[str]] = [[] for _ in range(8)]
    start = threading.Barrier(len(minted))

    def work(into: list[str]) -> None:
        start.wait()
        into.extend(mint_job_id() for _ in range(2_000))

    threads = [threading.Thread(target=work, args=(into,)) for into in minted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(own == sorted(own) for own in minted)
    assert len({job_id for own in minted for job_id in own}) == 16_000


def test_keys_4_one_thread_waits_while_another_mints() -> None:
    reading = threading.Event()
    inside = threading.Lock()
    overlap = threading.Event()

    def clock() -> int:
        if not inside.acquire(blocking=False):
            overlap.set()
            return EPOCH_MS + 1
        reading.set()
        # Long enough for the other thread to come here too, if nothing keeps it out.
        overlap.wait(0.2)
        inside.release()
        return EPOCH_MS + 1

    minted: list[str] = []
    mint = Mint(clock)
    first = threading.Thread(target=lambda: minted.append(mint.mint()))
    second = threading.Thread(target=lambda: minted.append(mint.mint()))
    first.start()
    assert reading.wait(20)
    second.start()
    first.join()
    second.join()
    assert not overlap.is_set()
    assert minted == sorted(set(minted))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_keys_4_a_forked_child_draws_node_and_sequence_anew() -> None:
    before = fields(mint_job_id())[1]
    nodes = {fields(_minted_in_a_child())[1] for _ in range(8)}
    # 1,024 nodes: that eight children all repeat their parent's is a matter of 10^-24.
    assert nodes != {before}
    assert len(nodes) > 1
    assert fields(mint_job_id())[1] == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform has no fork")
def test_keys_4_a_child_forked_while_a_thread_mints_can_mint() -> None:
    with ids._process_mint._lock:
        assert is_job_id(_minted_in_a_child())


def _minted_in_a_child() -> str:
    """An id that a forked child mints; it has 20 s for it."""
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        # Threads of the test runner; the child does nothing but mint.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            threading.Timer(20, os._exit, args=(1,)).start()
            os.write(writer, mint_job_id().encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        minted = pipe.read()
    os.waitpid(child, 0)
    return minted
