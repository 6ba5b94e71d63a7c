"""How often each verb, each answer and each rare branch occurred in a run, and what never did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from echomq_core.unsupported import all_verbs
from echomq_core.values import (
    CompleteVerdict,
    EmptyReason,
    ExplanationReason,
    ExtendVerdict,
    ReassignVerdict,
    ReleaseVerdict,
    RemoveVerdict,
    ReprocessVerdict,
    RetryVerdict,
)

from .branches import BRANCHES
from .profiles import VERB_PROFILES

__all__ = ["Coverage", "expected_answers"]

_CLAIMS = ("claim", "claim_many", "wclaim", "bclaim")
_SETTINGS = (
    "pause",
    "resume",
    "limit",
    "unlimit",
    "weight",
    "unweight",
    "pause_queue",
    "resume_queue",
    "wake",
    "park",
)


def expected_answers() -> tuple[str, ...]:
    """Every answer that a run must meet, as `verb = answer`."""
    found = [f"{verb} = {answer}" for verb in _CLAIMS for answer in ("served", *EmptyReason)]
    for verb in ("enqueue", "enqueue_many"):
        found += [f"{verb} = admitted", f"{verb} = duplicate"]
    for verb, verdicts in (
        ("complete", CompleteVerdict),
        ("complete_many", CompleteVerdict),
        ("retry", RetryVerdict),
        ("release", ReleaseVerdict),
        ("extend", ExtendVerdict),
        ("extend_many", ExtendVerdict),
        ("reassign", ReassignVerdict),
        ("remove", RemoveVerdict),
        ("reprocess", ReprocessVerdict),
    ):
        found += [f"{verb} = {verdict}" for verdict in verdicts]
    for verb in ("reap", "reap_group"):
        found += [f"{verb} = returned", f"{verb} = dead", f"{verb} = nothing"]
    found += ["reap = dropped", "promote = returned", "promote = dropped", "promote = nothing"]
    found += [f"{verb} = {answer}" for verb in _SETTINGS for answer in ("true", "false")]
    found += ["drain = some", "drain = none", "job = found", "job = none"]
    found += ["next_due = none", "next_due = overdue", "next_due = later"]
    found += [f"explain = {reason}" for reason in ExplanationReason if reason != "misplaced"]
    return tuple(found)


class Coverage:
    """Counters of one run. `verbs`, `answers` and `branches` map names to occurrences."""

    def __init__(self) -> None:
        self.verbs: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self.branches: Counter[str] = Counter()
        self.examples = 0
        self.steps = 0

    def saw(self, verb: str, answers: Iterable[str], branches: Iterable[str]) -> None:
        """One step: its verb, what it answered, the rare branches that it took."""
        self.steps += 1
        self.verbs[verb] += 1
        for answer in answers:
            self.answers[f"{verb} = {answer}"] += 1
        for branch in branches:
            self.branches[branch] += 1

    def table(self, claims: frozenset[str]) -> dict[str, dict[str, int]]:
        """All counts that the claimed profiles can reach, 0 for what did not occur."""
        return {
            "verbs": {
                verb: self.verbs[verb]
                for verb in all_verbs()
                if verb != "check" and VERB_PROFILES[verb] in claims
            },
            "answers": {
                name: self.answers[name] for name in expected_answers() if _needs(name) <= claims
            },
            "branches": {
                name: self.branches[name]
                for name, branch in BRANCHES.items()
                if branch.profiles <= claims
            },
        }

    def unreached(self, claims: frozenset[str]) -> dict[str, list[str]]:
        """Clause → the branches of it that no step reached, though the claimed verbs could."""
        missing: dict[str, list[str]] = {}
        for name, branch in BRANCHES.items():
            if branch.profiles <= claims and not self.branches[name]:
                for clause in branch.clauses:
                    missing.setdefault(clause, []).append(name)
        return missing


def _needs(answer: str) -> set[str]:
    """The profiles without which an answer cannot come about."""
    verb, word = answer.split(" = ", 1)
    return {VERB_PROFILES[verb]} | ({"control"} if word == "queue_paused" else set())
