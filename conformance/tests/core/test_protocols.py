"""Sync and async, Protocols and verbs: one set of signatures, and one operation for each verb."""

from __future__ import annotations

import dataclasses
import inspect
import re

import pytest

from echomq_core import ops, protocol, protocol_async
from echomq_core.ops import Op
from echomq_core.unsupported import all_verbs
from echomq_core.verbs import SyncVerbs
from echomq_core.verbs_async import AsyncVerbs

FEATURES = [name for name in protocol.__all__ if name not in {"Backend", "FullBackend"}]

EXPECTED = [
    "enqueue",
    "claim",
    "complete",
    "retry",
    "release",
    "extend",
    "promote",
    "reap",
    "job",
    "depth",
    "snapshot",
    "check",
    "enqueue_many",
    "claim_many",
    "bclaim",
    "complete_many",
    "extend_many",
    "weight",
    "unweight",
    "wclaim",
    "pause",
    "resume",
    "limit",
    "unlimit",
    "pause_queue",
    "resume_queue",
    "reassign",
    "drain",
    "remove",
    "reprocess",
    "reap_group",
    "park",
    "wake",
    "next_due",
    "depths",
    "lanes",
    "ring",
    "stats",
    "dead_jobs",
    "browse",
    "configuration",
    "explain",
    "fsck",
]


def shape(owner: type, verb: str) -> tuple[object, object]:
    """Names, kinds, defaults and types of a verb's arguments, and the type of its answer."""
    signature = inspect.signature(getattr(owner, verb))
    parameters = [(p.name, p.kind, p.default, p.annotation) for p in signature.parameters.values()]
    return parameters, signature.return_annotation


def all_operations() -> dict[str, type[Op[object]]]:
    public = [getattr(ops, name) for name in ops.__all__]
    kinds = [kind for kind in public if isinstance(kind, type) and "verb" in vars(kind)]
    found = {str(vars(kind)["verb"]): kind for kind in kinds}
    assert len(found) == len(kinds)
    return found


def test_the_verbs_are_these() -> None:
    assert sorted(all_verbs()) == sorted(EXPECTED)


@pytest.mark.parametrize("verb", EXPECTED)
def test_sync_and_async_protocols_differ_in_await_only(verb: str) -> None:
    assert shape(protocol.FullBackend, verb) == shape(protocol_async.AsyncFullBackend, verb)
    assert not inspect.iscoroutinefunction(getattr(protocol.FullBackend, verb))
    assert inspect.iscoroutinefunction(getattr(protocol_async.AsyncFullBackend, verb))


@pytest.mark.parametrize("verb", EXPECTED)
def test_the_inherited_verbs_have_the_signatures_of_the_protocols(verb: str) -> None:
    assert shape(SyncVerbs, verb) == shape(protocol.FullBackend, verb)
    assert shape(AsyncVerbs, verb) == shape(protocol.FullBackend, verb)
    assert inspect.iscoroutinefunction(getattr(AsyncVerbs, verb))


@pytest.mark.parametrize("feature", FEATURES)
def test_every_feature_has_its_async_twin_with_the_same_verbs(feature: str) -> None:
    def verbs_of(kind: type) -> set[str]:
        return {name for name in vars(kind) if not name.startswith("_")}

    twin = getattr(protocol_async, f"Async{feature}")
    assert verbs_of(getattr(protocol, feature)) == verbs_of(twin)
    assert issubclass(protocol_async.AsyncFullBackend, twin)
    assert issubclass(protocol.FullBackend, getattr(protocol, feature))


@pytest.mark.parametrize("verb", EXPECTED)
def test_every_verb_has_an_operation_with_its_arguments_as_fields(verb: str) -> None:
    kind = all_operations()[verb]
    arguments = set(inspect.signature(getattr(SyncVerbs, verb)).parameters) - {"self"}
    assert sorted(field.name for field in dataclasses.fields(kind)) == sorted(arguments)
    assert kind.__dataclass_params__.frozen  # type: ignore[attr-defined]


def test_there_is_no_operation_without_a_verb() -> None:
    assert set(all_operations()) == set(EXPECTED)


def test_exactly_the_reads_are_marked_as_reads() -> None:
    reads = {verb for verb, kind in all_operations().items() if kind.reads}
    expected = [
        "job",
        "depth",
        "depths",
        "stats",
        "lanes",
        "ring",
        "dead_jobs",
        "browse",
        "configuration",
        "explain",
        "check",
        "snapshot",
        "next_due",
    ]
    assert reads == set(expected)


@pytest.mark.parametrize("owner", [protocol.Backend, *(getattr(protocol, f) for f in FEATURES)])
def test_every_verb_of_the_protocols_says_what_it_means_and_names_a_clause(owner: type) -> None:
    whole = inspect.getdoc(owner) or ""
    for name, member in vars(owner).items():
        if name.startswith("_") or not callable(member):
            continue
        text = inspect.getdoc(member) or ""
        assert text, name
        assert re.search(r"\[?[A-Z]+-[a-z0-9_]+", text + whole), name
