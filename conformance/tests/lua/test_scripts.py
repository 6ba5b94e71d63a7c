"""What holds for the text of every script."""

from __future__ import annotations

import re

import echomq_lua
import pytest

from echomq_core.clauses import CLAUSES

from .sources import INCLUDES, READS, SCRIPTS, WRITES, commands, file_text, without_comments

ADMISSION = {"enqueue", "enqueue_many"}
FILES = [*SCRIPTS, *(f"include/{name}" for name in INCLUDES)]


def writes(name: str) -> bool:
    return bool(commands(echomq_lua.load(name)) & WRITES)


@pytest.mark.parametrize("name", SCRIPTS)
def test_keys_2_script_starts_with_a_shebang(name: str) -> None:
    assert re.match(r"#!lua( flags=[a-z-]+)?\n--- ", echomq_lua.load(name))


@pytest.mark.parametrize("name", SCRIPTS)
def test_keys_2c_flags_say_what_a_full_server_may_run(name: str) -> None:
    if name in ADMISSION:
        expected: tuple[str, ...] = ()
    elif writes(name):
        expected = ("allow-oom",)
    else:
        expected = ("no-writes",)
    assert echomq_lua.header(name).flags == expected


@pytest.mark.parametrize("name", FILES)
def test_conn_6_ring_6_only_these_commands_are_called(name: str) -> None:
    assert commands(file_text(name)) <= READS | WRITES


@pytest.mark.parametrize("name", FILES)
def test_every_call_names_its_command(name: str) -> None:
    text = without_comments(file_text(name))
    calls = re.findall(r"(?<![\w.])call\(\s*('\w+')?", text)
    assert all(calls), "a command that is computed cannot be checked"
    assert set(re.findall(r"redis\.\w+", text)) <= (
        {"redis.call"} if name == "include/keys" else set()
    )


@pytest.mark.parametrize("name", SCRIPTS)
def test_keys_2_only_base_and_meta_are_taken_from_keys(name: str) -> None:
    found = re.findall(r".*\bKEYS\b.*", without_comments(echomq_lua.load(name)))
    assert found == ["local base, meta = KEYS[1], KEYS[2]"]


@pytest.mark.parametrize("name", SCRIPTS)
def test_clock_1_time_is_read_in_one_include_alone(name: str) -> None:
    text = without_comments(file_text(name))
    assert "'TIME'" not in text
    assert not re.search(r"\bos\.|\bmath\.random", text)


@pytest.mark.parametrize("name", INCLUDES)
def test_include_takes_nothing_from_argv(name: str) -> None:
    assert "ARGV" not in without_comments(file_text(f"include/{name}"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_header_names_clauses_that_exist(name: str) -> None:
    cited = echomq_lua.header(name).clauses
    assert cited
    assert set(cited) <= CLAUSES.keys()


@pytest.mark.parametrize("name", SCRIPTS)
def test_header_says_what_the_script_is_for_and_answers(name: str) -> None:
    header = echomq_lua.header(name)
    assert file_text(name).split("\n")[1] == f"--- {name}: {header.purpose}"
    assert header.purpose
    assert header.returns


@pytest.mark.parametrize("name", FILES)
def test_every_include_is_used(name: str) -> None:
    text = file_text(name)
    body = without_comments(text)
    for part in re.findall(r"--- @include (\w+)", text):
        given = re.findall(
            r"^local (?:function (\w+)|([\w, ]+))", file_text(f"include/{part}"), re.M
        )
        names = [
            one for function, listed in given for one in (function or listed).strip().split(", ")
        ]
        assert any(re.search(rf"\b{one}\b", body) for one in names), f"{part} is not used"


def test_every_include_is_included() -> None:
    included = {
        part for name in FILES for part in re.findall(r"--- @include (\w+)", file_text(name))
    }
    assert included == set(INCLUDES)


SCANS = r"'LREM'|'LPOS'|'LRANGE', base \.\. 'ring', 0, -1"


def test_ring_5_the_ring_is_scanned_in_these_files_alone() -> None:
    """Operators (groups, pause), reads (explain, snapshot), fsck, and a late complete from the tail."""
    found = {name for name in FILES if re.search(SCANS, without_comments(file_text(name)))}
    expected = {
        "pause",
        "explain",
        "snapshot",
        "fsck_ring",
        "include/groups",
        "include/complete_job",
    }
    assert found == expected


def test_ring_5_a_late_complete_scans_from_the_tail() -> None:
    scans = re.findall(r"call\('LREM'.*", file_text("include/complete_job"))
    assert scans == ["call('LREM', base .. 'ring', -1, group)"]


def test_ring_5_only_a_lane_that_lost_serviceability_is_taken_off_by_a_scan() -> None:
    """`ring_leave` is called where a group is settled, and by fsck; no hot script calls it itself."""
    calls = {name for name in FILES if "ring_leave(" in without_comments(file_text(name))}
    assert calls == {"include/groups", "fsck_ring"}
