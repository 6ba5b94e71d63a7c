"""Names of keys and their slots (KEYS-1, WIRE-1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echomq_core import Keyspace, slot_of
from echomq_core.keyspace import VERSION_KEY


def all_keys(queue: str, group: str, job_id: str) -> dict[str, str]:
    keys = Keyspace(queue)
    named = {
        name: getattr(keys, name)
        for name, value in vars(Keyspace).items()
        if isinstance(value, property)
    }
    return {**named, "lane": keys.lane(group), "job": keys.job(job_id)}


def test_wire_1_the_names_of_all_keys_of_a_queue() -> None:
    assert all_keys("orders", "acme", "JOB00000000001") == {
        "base": "emq:{orders}:",
        "lane": "emq:{orders}:g:acme:pending",
        "ring": "emq:{orders}:ring",
        "active": "emq:{orders}:active",
        "schedule": "emq:{orders}:schedule",
        "dead": "emq:{orders}:dead",
        "job": "emq:{orders}:job:JOB00000000001",
        "in_flight": "emq:{orders}:gactive",
        "limits": "emq:{orders}:glimit",
        "weights": "emq:{orders}:gweight",
        "paused": "emq:{orders}:paused",
        "meta": "emq:{orders}:meta",
        "wake": "emq:{orders}:wake",
        "completed": "emq:{orders}:metrics:completed",
        "failed": "emq:{orders}:metrics:failed",
        "flat": "emq:{orders}:pending",
    }
    assert VERSION_KEY == "{emq}:version"


@pytest.mark.parametrize(
    ("key", "slot"),
    [("123456789", 12739), ("orders", 105), ("payments", 8507), ("", 0)],
)
def test_keys_1_known_slots(key: str, slot: int) -> None:
    assert slot_of(key) == slot
    assert slot_of(key.encode()) == slot


@pytest.mark.parametrize(
    ("key", "counts"),
    [
        ("emq:{orders}:ring", "orders"),
        ("{orders}", "orders"),
        ("{orders}{payments}", "orders"),
        ("a{orders}b}c", "orders"),
        ("{{orders}", "{orders"),  # the tag begins after the first brace
        ("x{}y{orders}", "x{}y{orders}"),  # an empty tag is none, and a later one does not count
        ("x{orders", "x{orders"),
        ("x}orders{", "x}orders{"),
    ],
)
def test_keys_1_the_first_hash_tag_counts(key: str, counts: str) -> None:
    whole = counts.encode()
    assert slot_of(key) == slot_of_whole(whole)


def slot_of_whole(raw: bytes) -> int:
    """CRC16/XMODEM bit by bit, an implementation of its own."""
    crc = 0
    for byte in raw:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ (0x1021 if crc & 0x8000 else 0)) & 0xFFFF
    return crc % 16_384


@pytest.mark.parametrize(
    "group", ["a:b", ":pending", "g:x:pending", "{q}", "}", "{", "}{", "ring", "名前", " ", "0"]
)
def test_keys_1_no_group_name_moves_a_key_to_another_slot(group: str) -> None:
    slots = {slot_of(key) for key in all_keys("orders", group, group).values()}
    assert slots == {105}
    assert Keyspace("orders").slot() == 105


@given(st.text(min_size=1), st.text(min_size=1))
def test_wire_1_two_groups_have_two_lanes(one: str, other: str) -> None:
    keys = Keyspace("q")
    assert (keys.lane(one) == keys.lane(other)) == (one == other)


@given(st.binary())
def test_keys_1_every_slot_is_that_of_another_implementation(raw: bytes) -> None:
    if b"{" not in raw:
        assert slot_of(raw) == slot_of_whole(raw)
