"""The header of each script against its body, and against what the plans send."""

from __future__ import annotations

import re
from dataclasses import dataclass

import echomq_lua
import pytest

from echomq_core import Keyspace

from ..valkey_plans.playing import QUEUE, calls_of_all_plans
from .sources import SCRIPTS, file_text, without_comments

WORDS = {"one": 1, "two": 2, "five": 5}


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a header promises: so many fixed ones, then `repeated` for each item (0: none)."""

    fixed: int
    repeated: int


def promised(name: str) -> Arguments:
    lines = re.findall(r"^--- @arg (\d+)(\.\.)? (.+)$", file_text(name), re.MULTILINE)
    numbers = [int(number) for number, _, _ in lines]
    assert numbers == list(range(1, len(lines) + 1)), "a gap in the header"
    assert not any(dots for _, dots, _ in lines[:-1]), "only the last argument repeats"
    if not lines or not lines[-1][1]:
        return Arguments(len(lines), 0)
    width = re.search(r": (\w+) for each|: names that", lines[-1][2])
    assert width, "a repeated argument says how many there are for each item"
    return Arguments(len(lines) - 1, WORDS[width[1]] if width[1] else 1)


@pytest.mark.parametrize("name", SCRIPTS)
def test_body_reads_each_argument_of_the_header_and_no_other(name: str) -> None:
    header = promised(name)
    body = without_comments(file_text(name))
    read = {int(number) for number in re.findall(r"ARGV\[(\d+)\]", body)}
    fixed = set(range(1, header.fixed + 1))
    assert fixed <= read
    assert read == fixed or header.repeated
    rest = re.search(r"#ARGV|ipairs\(ARGV\)", body)
    assert bool(rest) == bool(header.repeated)


@pytest.mark.parametrize("name", SCRIPTS)
def test_plans_send_what_the_header_names(name: str) -> None:
    header = promised(name)
    sent = [call for call in calls_of_all_plans() if call.script == name]
    assert sent, "no plan calls this script"
    for call in sent:
        beyond = len(call.args) - header.fixed
        if header.repeated:
            assert beyond >= 0
            assert beyond % header.repeated == 0
        else:
            assert beyond == 0


@pytest.mark.parametrize("name", SCRIPTS)
def test_keys_2_plans_declare_the_base_key_and_meta(name: str) -> None:
    keys = Keyspace(QUEUE)
    expected = (f"emq:{{{QUEUE}}}:", f"emq:{{{QUEUE}}}:meta")
    assert (keys.base, keys.meta) == expected
    assert {call.keys for call in calls_of_all_plans() if call.script == name} == {expected}


@pytest.mark.parametrize("name", SCRIPTS)
def test_conn_2_a_call_that_may_be_repeated_is_a_script_that_cannot_write(name: str) -> None:
    repeated = any(call.reads for call in calls_of_all_plans() if call.script == name)
    assert not repeated or echomq_lua.header(name).flags == ("no-writes",)


def test_plans_call_scripts_that_exist() -> None:
    assert {call.script for call in calls_of_all_plans()} == set(SCRIPTS)
