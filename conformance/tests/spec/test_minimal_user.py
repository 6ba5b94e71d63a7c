"""The minimal user of CONN-7: every scenario passes as that user, and no permission is idle."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from echomq_conformance.harness import Harness
from echomq_conformance.playing import play_scenario
from echomq_conformance.scenario import Scenario, load_scenarios
from echomq_conformance.target import Clock, Target
from echomq_valkey import EmbeddedServer, ValkeyBackend
from echomq_valkey.replies import MINIMAL_USER

from echomq_core import Keyspace, ServerUnusable

ROOT = Path(__file__).parents[3]
CHAPTER = ROOT / "docs" / "spec" / "07-connections.md"

AGE = """#!lua
for _, name in ipairs({'active', 'schedule'}) do
  local key = KEYS[1] .. name
  local entries = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  for i = 1, #entries, 2 do
    redis.call('ZADD', key, string.format('%.0f', tonumber(entries[i + 1]) - ARGV[1]), entries[i])
  end
end
"""


def documented_rule() -> list[str]:
    """The words of the ACL line in the spec, from the user's name on."""
    block = re.search(r"```\nACL SETUSER (echomq .*?)```", CHAPTER.read_text("utf-8"), re.DOTALL)
    assert block is not None
    return block[1].split()


class ServerWithUser:
    """A private server on which the backend is the minimal user and the kit's back door is not."""

    def __init__(self, server: EmbeddedServer, *rules: str) -> None:
        self._door = redis.Redis(unix_socket_path=str(server.socket_path))
        self._door.execute_command("ACL", "SETUSER", *documented_rule(), *rules)  # type: ignore[no-untyped-call]
        self.url = f"unix://echomq:password@{server.socket_path}"

    @contextmanager
    def open(self, clock: Clock | None) -> Iterator[ValkeyBackend]:
        with ValkeyBackend.from_url(self.url) as backend:
            yield backend

    def advance(self, queue: str, ms: int) -> None:
        keys = Keyspace(queue)
        self._door.eval(AGE, 2, keys.base, keys.meta, str(ms))

    def lose_row(self, queue: str, job_id: str) -> None:
        self._door.delete(Keyspace(queue).job(job_id))

    def target(self) -> Target:
        claims = frozenset({"core", "control", "bulk", "wake"})
        return Target(
            "minimal user", "1", claims, self.lose_row, open=self.open, advance=self.advance
        )


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as running:
        yield running


@pytest.fixture(scope="module")
def harness(server: EmbeddedServer) -> Iterator[Harness]:
    with Harness(ServerWithUser(server).target(), asynchronous=False) as opened:
        yield opened


@pytest.mark.parametrize("scenario", load_scenarios(), ids=lambda scenario: scenario.name)
def test_conn_7_every_scenario_passes_as_the_minimal_user(
    harness: Harness, scenario: Scenario
) -> None:
    play_scenario(harness, scenario)


BELOW_THE_PLANS = {"SELECT", "CLUSTER", "ASKING"}
"""Commands that the client or the driver sends, on behalf of any verb."""


def commands_of_the_verbs() -> set[str]:
    """Every command that a script calls or a plan sends, as the sources have them."""
    scripts = "\n".join(
        path.read_text("utf-8") for path in sorted((ROOT / "lua" / "echomq_lua").rglob("*.lua"))
    )
    plans = "\n".join(
        path.read_text("utf-8")
        for path in sorted((ROOT / "backends" / "echomq_valkey").glob("*.py"))
    )
    called = set(re.findall(r"call\(\s*'([A-Z]+)'", scripts))
    sent = set(re.findall(r'(?<!ErrorReply)\("([A-Z]{3,})", ', plans)) | set(
        re.findall(r'\("(INFO)",\)', plans)
    )
    return called | sent


def test_conn_7_the_documented_permissions_are_those_that_the_sources_need() -> None:
    granted = {word[1:].split("|")[0].upper() for word in documented_rule() if word[0] == "+"}
    optional = set(re.findall(r"\+(\w+)", CHAPTER.read_text("utf-8").partition("told apart:")[2]))
    assert (
        commands_of_the_verbs() == granted | {word.upper() for word in optional} - BELOW_THE_PLANS
    )


def test_conn_7_the_remedy_in_a_refusal_is_the_documented_rule() -> None:
    assert documented_rule() == ["echomq", "on", ">password", *MINIMAL_USER.split()]


def test_conn_7_the_minimal_user_may_not_touch_other_keys(server: EmbeddedServer) -> None:
    user = redis.Redis.from_url(ServerWithUser(server).url)
    with pytest.raises(redis.exceptions.NoPermissionError):
        user.get("somebody-elses")
    with pytest.raises(redis.exceptions.NoPermissionError):
        user.config_get("*")
    user.close()


def test_conn_7_what_the_minimal_user_may_not_ask_reads_unknown(harness: Harness) -> None:
    info = harness.backend.check()
    assert info.scripts is True
    assert (info.version, info.eviction, info.persistence) == ("unknown",) * 3
    assert any("INFO" in warning for warning in info.warnings)


def test_conn_7_a_permission_that_is_missing_is_named(server: EmbeddedServer) -> None:
    without = ServerWithUser(server, "-zadd")
    try:
        with (
            ValkeyBackend.from_url(without.url) as backend,
            pytest.raises(ServerUnusable, match=r"(?i)zadd"),
        ):
            backend.enqueue("q-denied", "g", b"")
    finally:
        ServerWithUser(server)
