"""The pytest plugin: `pytest --pyargs echomq_conformance.suite --echomq-target NAME`.

It adds options and the fixture `echomq_target`; a suite of your own may override that fixture.
"""

from __future__ import annotations

import pytest

__all__ = ["echomq_target", "pytest_addoption", "pytest_configure", "pytest_generate_tests"]


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("echomq", "EchoMQ conformance")
    group.addoption(
        "--echomq-target",
        action="append",
        default=[],
        metavar="NAME",
        help="a registered conformance target, or module:function; may be given again",
    )
    group.addoption("--echomq-budget", default="quick", help="quick, standard or long")
    group.addoption("--echomq-seed", type=int, default=None, help="seed of the random machine")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "echomq_clause(*ids): the clauses that a test shows")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One set of tests per `--echomq-target`."""
    names = metafunc.config.getoption("--echomq-target")
    if names and "echomq_target" in metafunc.fixturenames:
        metafunc.parametrize("echomq_target", names, indirect=True, scope="session")


@pytest.fixture(scope="session")
def echomq_target(request: pytest.FixtureRequest) -> object:
    """The target under test. Override it to answer your own `Target`."""
    from .target import find_target

    name = getattr(request, "param", None)
    if name is None:
        raise pytest.UsageError(
            "name a target: --echomq-target NAME, or override the fixture echomq_target"
        )
    return find_target(name)
