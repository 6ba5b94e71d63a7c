"""The error tree: who is under whom, and what each message tells (ERR-tree)."""

from __future__ import annotations

import inspect
import pickle

import pytest

from echomq_core import errors
from echomq_core.errors import (
    ConnectionTrouble,
    EchoMQError,
    InvalidArgument,
    MissingExtra,
    NotApplied,
    OutcomeUnknown,
    QueueTooLarge,
    Refused,
    ServerFull,
    ServerTooOld,
    ServerUnusable,
    TooFewReplicas,
    UnknownScheme,
    UnsafeClient,
    Unsupported,
    WireVersionMismatch,
    WrongKeyType,
)

# (error, under, what its message has to name)
EXAMPLES: list[tuple[EchoMQError, type[Exception], list[str]]] = [
    (InvalidArgument("n", 0, "n is 1 to 9", "Pass more"), EchoMQError, ["n=0", "1 to 9", "Pass"]),
    (Refused("the server said no"), EchoMQError, ["said no"]),
    (WrongKeyType("emq:{q}:ring", "string", "list"), Refused, ["emq:{q}:ring", "string", "list"]),
    (QueueTooLarge(20, 10), Refused, ["20", "max_jobs=10", "browse", "lanes"]),
    (ServerFull("over maxmemory"), Refused, ["maxmemory"]),
    (ServerUnusable("load the module"), Refused, ["load the module"]),
    (ServerTooOld("6.2.7", "7.0"), Refused, ["6.2.7", "7.0"]),
    (WireVersionMismatch("echomq:9.0.0", "echomq:3.x.y"), Refused, ["echomq:9.0.0", "3.x.y"]),
    (UnsafeClient("Redis(retry=None)"), Refused, ["Redis(retry=None)"]),
    (ConnectionTrouble("claim", "no route"), EchoMQError, ["claim", "no route"]),
    (OutcomeUnknown("claim", "reset"), ConnectionTrouble, ["claim", "unknown", "once or not"]),
    (NotApplied("claim", "refused"), ConnectionTrouble, ["claim", "not applied", "repeated"]),
    (
        TooFewReplicas("enqueue", wanted=2, got=1, answer="x"),
        ConnectionTrouble,
        ["enqueue", "1 of 2", "stands"],
    ),
    (Unsupported("drain", "Mine"), EchoMQError, ["drain", "Mine"]),
    (UnknownScheme("x", ["a", "b"]), EchoMQError, ["'x'", "a://", "b://"]),
    (MissingExtra("valkey", "redis"), EchoMQError, ["redis", "echomq[valkey]"]),
]


def named(value: object) -> str | None:
    return type(value).__name__ if isinstance(value, Exception) else None


def test_err_tree_the_examples_are_all_errors() -> None:
    kinds = [type(error) for error, _, _ in EXAMPLES]
    exported = {getattr(errors, name) for name in errors.__all__}
    assert {EchoMQError, *kinds} == exported
    defined = {
        kind
        for _, kind in inspect.getmembers(errors, inspect.isclass)
        if kind.__module__ == errors.__name__
    }
    assert defined == exported


@pytest.mark.parametrize(("error", "under", "names"), EXAMPLES, ids=named)
def test_err_tree_every_error_is_where_it_belongs_and_names_what_it_knows(
    error: EchoMQError, under: type[Exception], names: list[str]
) -> None:
    assert type(error).__bases__[0] is under
    for name in names:
        assert name in str(error)


@pytest.mark.parametrize(("error", "under", "names"), EXAMPLES, ids=named)
def test_err_midway_nothing_is_known_of_items_unless_it_is_said(
    error: EchoMQError, under: type[Exception], names: list[str]
) -> None:
    assert error.verdicts is None
    assert error.done is None


def test_err_tree_errors_of_the_caller_are_also_what_python_calls_them() -> None:
    assert issubclass(InvalidArgument, ValueError)
    assert issubclass(UnknownScheme, ValueError)
    assert issubclass(MissingExtra, ImportError)


def test_err_tree_a_long_value_is_shown_shortened_with_its_size() -> None:
    error = InvalidArgument("payload", "x" * 10_000, "a payload is bytes", "Encode it")
    assert len(str(error)) < 300
    assert "str, 10002 characters as text" in str(error)
    assert error.value == "x" * 10_000


def test_err_tree_the_attributes_say_what_the_message_says() -> None:
    few = TooFewReplicas("enqueue", wanted=3, got=1, answer="answer")
    assert (few.verb, few.wanted, few.got, few.answer) == ("enqueue", 3, 1, "answer")
    wrong = WrongKeyType("k", "string", "list")
    assert (wrong.key, wrong.found, wrong.expected) == ("k", "string", "list")
    large = QueueTooLarge(20, 10)
    assert (large.entries, large.max_jobs) == (20, 10)


@pytest.mark.parametrize(
    "error",
    [error for error, _, _ in EXAMPLES if not isinstance(error, TooFewReplicas)],
    ids=named,
)
def test_err_tree_errors_travel_between_processes(error: EchoMQError) -> None:
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is type(error)
    assert str(back) == str(error)
