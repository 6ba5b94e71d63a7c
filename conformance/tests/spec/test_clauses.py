"""The prose in docs/spec, the clauses as data, and everything that cites them agree."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from echomq_core import clauses, errors, values
from echomq_core.clauses import CLAUSES, PROFILES, Clause
from echomq_core.unsupported import all_verbs

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
SPEC = DOCS / "spec"

HEADING = re.compile(r"^### (\S+) (.+)$", re.MULTILINE)
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
FAMILIES = sorted({clause_id.split("-", 1)[0] for clause_id in CLAUSES})
CITED = re.compile(rf"(?<![\w-])(?:{'|'.join(FAMILIES)})-(?:\d+[a-z]?|[a-z]\w*(?:-[a-z]+)*)(?!\w)")
# Families whose clauses are numbered can be cited by the name of a test, as in test_ring_2_...
NUMBERED = sorted({c.split("-")[0] for c in CLAUSES if c.split("-", 1)[1][0].isdigit()})
TEST_NAME = re.compile(rf"def test_({'|'.join(NUMBERED).lower()})_(\d+[a-z]?)_")
NEVER_A_CLAUSE = "RING-99"
"""What a test cites that needs a clause which does not exist."""
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@cache
def chapter_texts() -> dict[str, str]:
    return {path.name: path.read_text("utf-8") for path in sorted(SPEC.glob("*.md"))}


def headings() -> list[tuple[str, str, str]]:
    """(id, title, chapter) of every `###` heading in the spec, in order."""
    return [
        (match[1], match[2], chapter)
        for chapter, text in chapter_texts().items()
        for match in HEADING.finditer(FENCE.sub("", text))
    ]


def section(clause_id: str) -> str:
    """The text of one clause, heading included."""
    text = chapter_texts()[CLAUSES[clause_id].chapter]
    start = text.index(f"### {clause_id} ")
    end = re.search(r"^##", text[start + 3 :], re.MULTILINE)
    return text[start:] if end is None else text[start : start + 3 + end.start()]


def files(*folders: str, suffixes: tuple[str, ...]) -> list[Path]:
    return [
        path
        for folder in folders
        for path in sorted((ROOT / folder).rglob("*"))
        if path.suffix in suffixes and "__pycache__" not in path.parts
    ]


def markdown() -> list[Path]:
    return [*sorted(ROOT.glob("*.md")), *files("docs", suffixes=(".md",))]


def cited_in(text: str) -> set[str]:
    by_test = {f"{m[1].upper()}-{m[2]}" for m in TEST_NAME.finditer(text)}
    return by_test | set(CITED.findall(text))


def anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def test_prose_and_data_have_the_same_clauses_titles_and_chapters_in_the_same_order() -> None:
    assert [(c.id, c.title, c.chapter) for c in CLAUSES.values()] == headings()


def test_the_id_that_tests_may_cite_for_no_clause_is_none() -> None:
    assert NEVER_A_CLAUSE not in CLAUSES


def test_no_clause_is_there_twice_in_prose_or_data() -> None:
    counted = Counter(clause_id for clause_id, _, _ in headings())
    assert [clause_id for clause_id, times in counted.items() if times > 1] == []
    assert list(CLAUSES) == [clause.id for clause in clauses._ALL]


def test_every_profile_is_explained_and_every_clause_has_a_known_one() -> None:
    assert tuple(PROFILES) == get_args(clauses.Profile)
    assert {clause.profile for clause in CLAUSES.values()} <= set(PROFILES)
    assert {clause.status for clause in CLAUSES.values()} == set(get_args(clauses.Status))


@pytest.mark.parametrize("clause", CLAUSES.values(), ids=lambda clause: clause.id)
def test_every_clause_says_something_under_its_heading(clause: Clause) -> None:
    body = section(clause.id).split("\n", 1)[1]
    assert len(body.split()) >= 10


def test_every_verb_is_named_by_a_clause_about_verbs() -> None:
    about_verbs = [
        section(c)
        for c in CLAUSES
        if c.startswith("VERB-") and c not in {"VERB-atomic", "VERB-turn"}
    ]
    named = set(re.findall(r"`(\w+)[(`]", "\n".join(about_verbs)))
    assert set(all_verbs()) - named == set()


def test_every_verb_has_its_answer_and_what_it_can_lose() -> None:
    answers = set(re.findall(r"`(\w+)`", section("ANSWER-values")))
    assert set(all_verbs()) - answers == set()
    losses = set(re.findall(r"`(\w+)`", section("PROMISE-6")))
    assert set(all_verbs()) - losses == set()


def test_every_error_is_a_row_of_the_tree_with_its_parents_and_attributes() -> None:
    rows = {
        row[0].strip("`"): row
        for row in (
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in section("ERR-tree").splitlines()
            if line.startswith("| `")
        )
    }
    assert set(rows) == set(errors.__all__)
    for name, (_, under, *_) in rows.items():
        parents = {base.__name__ for base in getattr(errors, name).__bases__}
        assert set(re.findall(r"`(\w+)`", under)) == parents, name


@pytest.mark.parametrize(
    "value",
    [
        values.Enqueued,
        values.Job,
        values.Swept,
        values.NewJob,
        values.JobRecord,
        values.Lane,
        values.LaneSettings,
        values.Stats,
        values.Explanation,
        values.ServerInfo,
        values.Breach,
        values.QueueSnapshot,
    ],
    ids=lambda value: str(value.__name__),
)
def test_the_fields_of_every_value_are_in_the_chapter_on_verbs(value: type) -> None:
    words = set(re.findall(r"\w+", chapter_texts()["03-verbs.md"]))
    assert set(value.__dataclass_fields__) - words == set()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "verdicts",
    [
        values.EmptyReason,
        values.CompleteVerdict,
        values.RetryVerdict,
        values.ReleaseVerdict,
        values.ExtendVerdict,
        values.ReassignVerdict,
        values.RemoveVerdict,
        values.ReprocessVerdict,
        values.ExplanationReason,
        values.JobState,
    ],
    ids=lambda verdicts: str(verdicts.__name__),
)
def test_every_word_of_an_answer_is_in_the_chapter_on_verbs(
    verdicts: type[values.JobState],
) -> None:
    text = chapter_texts()["03-verbs.md"]
    assert [word.value for word in verdicts if f"`{word.value}`" not in text] == []


@pytest.mark.parametrize("path", markdown(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_internal_link_leads_somewhere(path: Path) -> None:
    broken = []
    for target in LINK.findall(FENCE.sub("", path.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        found = path if not name else (path.parent / name)
        if not found.exists():
            broken.append(target)
        elif fragment:
            titles = re.findall(r"^#+ (.+)$", found.read_text("utf-8"), re.MULTILINE)
            if fragment not in {anchor(title) for title in titles}:
                broken.append(target)
    assert broken == []


def test_every_document_is_reached_from_the_index() -> None:
    reached: set[Path] = set()
    waiting = [DOCS / "README.md"]
    while waiting:
        path = waiting.pop().resolve()
        if path in reached or path.suffix != ".md":
            continue
        reached.add(path)
        waiting += [
            path.parent / target.partition("#")[0]
            for target in LINK.findall(path.read_text("utf-8"))
            if not re.match(r"[a-z]+:|#", target)
        ]
    orphans = {path.resolve() for path in files("docs", suffixes=(".md",))} - reached
    assert orphans == set()


def citing_files() -> list[Path]:
    code = files("echomq_core", "backends", "conformance", suffixes=(".py", ".json"))
    return [*markdown(), *code, *files("lua", suffixes=(".lua", ".py"))]


@pytest.mark.parametrize(
    "path",
    [path for path in citing_files() if path != Path(__file__)],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_every_clause_that_is_cited_exists(path: Path) -> None:
    known = set(CLAUSES)
    if path.name.startswith("test_"):
        known.add(NEVER_A_CLAUSE)
    assert cited_in(path.read_text("utf-8")) - known == set()


def test_a_citation_is_found_whole_and_a_wrong_one_is_noticed() -> None:
    text = (
        "RING-2, KEYS-2b (VERB-queue-pause): VERB-claim_many. [WAKE-1 to WAKE-4] STRING-2 VERB-..."
    )
    expected = {
        "RING-2",
        "KEYS-2b",
        "VERB-queue-pause",
        "VERB-claim_many",
        "WAKE-1",
        "WAKE-4",
    }
    assert cited_in(text) == expected
    assert cited_in("RING-77 VERB-fly, def test_ring_78_x") == {"RING-77", "VERB-fly", "RING-78"}
    assert cited_in("def test_keys_2b_x() def test_ringing_2_x()") == {"KEYS-2b"}
