"""The version matrix: which servers it names, and what its tables say of what was not run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from echomq_conformance.profiles import VERB_PROFILES
from echomq_conformance.report import ClauseReport, Evidence, MachineReport, Report, Verdict
from echomq_conformance.run import Budget
from echomq_conformance.server_matrix.cells import Cell, Place, Server, find_servers, places
from echomq_conformance.server_matrix.page import page
from echomq_conformance.server_matrix.running import failures, run_at
from echomq_conformance.server_matrix.tables import (
    CLAUSE_OF,
    cell_text,
    server_table,
    verb_table,
)

from echomq_core.clauses import CLAUSES

HERE = Server("S 1", Path("/s"))
ABSENT = Server("Absent 2", None, "absent is not on this machine")


def report(*verdicts: tuple[str, Verdict], calls: int = 0, server: str = "s 1.0") -> Report:
    made = Report("t", "1", server, ("core",), "b", 1, "1", "3")
    made.clauses = [ClauseReport(clause, "", verdict, 1) for clause, verdict in verdicts]
    made.machines = [MachineReport("sync", 1, 1, {"verbs": {"claim": calls}})]
    return made


def rows(table: str) -> list[list[str]]:
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in table.splitlines()
        if line.startswith("|")
    ][2:]


PASSED = report(("VERB-claim", Verdict.PASSED), ("BOOK-1", Verdict.PASSED), calls=5)
RARE = report(("VERB-claim", Verdict.NOT_EXERCISED), ("BOOK-1", Verdict.PASSED), calls=7)
BROKEN = replace(
    report(("VERB-claim", Verdict.FAILED), calls=1),
    evidence=[Evidence("check", "c", ("VERB-claim",), False, "twice")],
)


def test_three_servers_are_always_named_and_the_environment_adds_more() -> None:
    environment = {
        "ECHOMQ_SERVER_BINARY": "/bin/sh",
        "ECHOMQ_SERVER_MINE_7": "/bin/sh",
        "ECHOMQ_SERVER_GONE": "/nowhere/server",
    }
    found = find_servers(environment)
    assert [server.name for server in found[:3]] == ["Valkey 9.1", "Valkey 8.1", "Redis 7.0"]
    assert found[3:] == [
        Server("GONE", None, "/nowhere/server is not on this machine"),
        Server("MINE_7", Path("/bin/sh")),
    ]


def test_each_server_has_both_protocols_on_each_topology() -> None:
    assert {(place.protocol, place.topology) for place in places([HERE])} == {
        (protocol, topology)
        for protocol in (2, 3)
        for topology in ("one server", "Sentinel", "cluster")
    }


def test_a_cluster_alone_claims_the_cluster_profile() -> None:
    claims = {
        place.topology: place.target(asynchronous=True).claims & {"async", "cluster"}
        for place in places([HERE])
    }
    assert claims == {
        "one server": {"async"},
        "Sentinel": {"async"},
        "cluster": {"async", "cluster"},
    }


def test_a_server_that_is_not_there_is_not_run_and_no_failure() -> None:
    cell = run_at(Place(ABSENT, 2, "one server"), 1)
    assert cell_text(cell) == "*not run*"
    assert failures(cell) == []
    table = server_table([cell])
    assert rows(table) == [["Absent 2", "-", "RESP2", "*not run*", "*not run*", "*not run*"]]
    assert "Not run: Absent 2: absent is not on this machine" in table


def test_a_server_that_is_there_and_cannot_be_run_is_a_failure() -> None:
    cell = Cell(Place(HERE, 2, "Sentinel"), reason="it ended")
    assert failures(cell) == ["S 1, Sentinel: it ended"]
    assert cell_text(cell) == "*not run*"


def test_a_cell_says_passed_not_shown_and_broken() -> None:
    place = Place(HERE, 3, "one server")
    assert cell_text(Cell(place, (PASSED, PASSED))) == "passed 2 + 2"
    assert cell_text(Cell(place, (PASSED, RARE))) == "passed 2 + 1, not shown 1"
    assert cell_text(Cell(place, (PASSED, BROKEN))) == "**broken**: 1 clauses failed"
    assert failures(Cell(place, (PASSED, BROKEN))) == ["t: check c: twice"]


def test_rows_are_servers_and_protocols_with_the_version_that_the_server_tells() -> None:
    cells = [
        Cell(Place(HERE, 2, "one server"), (PASSED,)),
        Cell(Place(HERE, 2, "cluster"), (RARE,)),
        Cell(Place(HERE, 3, "Sentinel"), (PASSED,)),
    ]
    assert rows(server_table(cells)) == [
        ["S 1", "s 1.0", "RESP2", "passed 2", "*not run*", "passed 1, not shown 1"],
        ["S 1", "s 1.0", "RESP3", "*not run*", "passed 2", "*not run*"],
    ]


def test_conn_7_verbs_by_topology_take_the_worst_verdict_and_count_calls() -> None:
    cells = [
        Cell(Place(HERE, 2, "one server"), (PASSED, RARE)),
        Cell(Place(HERE, 2, "cluster"), (PASSED, RARE, BROKEN)),
    ]
    table = {row[0]: row[1:] for row in rows(verb_table(cells))}
    assert table["`claim`"] == [
        "core",
        "not exercised (12 calls)",
        "*not run*",
        "failed (13 calls)",
    ]
    assert table.keys() == {f"`{verb}`" for verb in VERB_PROFILES}


def test_conn_7_every_verb_has_a_clause_of_its_profile() -> None:
    found = {verb: CLAUSES[clause].profile for verb, clause in CLAUSE_OF.items()}
    allowed = {"depth": "core", "job": "core"}
    assert {verb: profile for verb, profile in found.items() if profile != VERB_PROFILES[verb]} == {
        verb: profile for verb, profile in allowed.items() if VERB_PROFILES[verb] != profile
    }


def test_the_page_names_its_budget_and_seed() -> None:
    text = page([Cell(Place(HERE, 2, "one server"), (PASSED,))], Budget(20, 40, 2), 77)
    flat = " ".join(text.split())
    assert "20 examples of the machine with 40 steps and 2 tours, seed 77" in flat
    assert text.startswith("# Servers, protocols and topologies\n")
