"""Every argument of every verb is checked before anything reaches the store (ARG-refused)."""

from __future__ import annotations

import pytest

from echomq_core.unsupported import all_verbs

from .argument_table import GOOD, accepted, bad_arguments, number_range, refusal


def test_arg_refused_the_table_has_every_verb() -> None:
    assert set(GOOD) == set(all_verbs())


@pytest.mark.parametrize("verb", GOOD)
def test_arg_refused_good_arguments_reach_the_store_as_they_are(verb: str) -> None:
    op = accepted(verb)
    assert op.verb == verb
    for name, value in GOOD[verb].items():
        expected = tuple(value) if isinstance(value, list) else value
        assert getattr(op, name) == expected


BAD = bad_arguments()


@pytest.mark.parametrize(
    ("verb", "argument", "value"),
    # The texts of some values hold an address, which differs between processes.
    [pytest.param(*row, id=f"{row[0]}-{row[1]}-{index}") for index, row in enumerate(BAD)],
)
def test_arg_refused_a_wrong_value_is_named_with_rule_and_remedy(
    verb: str, argument: str, value: object
) -> None:
    error = refusal(verb, **{argument: value})
    assert error.argument == argument
    assert error.value is value or error.value == value
    message = str(error)
    assert message.startswith(f"{error.argument}=")
    assert error.rule
    assert error.remedy
    assert error.rule in message
    assert message.endswith(error.remedy)
    assert repr(error.value)[:100] in message


ENDS = [
    (verb, argument, end)
    for verb, arguments in GOOD.items()
    for argument in arguments
    for end in number_range(verb, argument) or ()
]


@pytest.mark.parametrize(("verb", "argument", "end"), ENDS)
def test_arg_numbers_both_ends_of_a_range_are_legal_and_unchanged(
    verb: str, argument: str, end: int
) -> None:
    assert getattr(accepted(verb, **{argument: end}), argument) == end
