"""Every verb over a network that loses something: CONN-1, CONN-2, on both faces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from echomq_core import FullBackend, NotApplied, OutcomeUnknown
from echomq_core.protocol import FullBackend as Verbs

from .faces import Opener
from .interception import Fate, Proxy
from .verb_cases import CASES, Kind, VerbCase, coarse

if TYPE_CHECKING:
    import redis
    from echomq_valkey import ValkeyBackend

NAMED = [f"{index}-{case.verb}-{case.kind.name.lower()}" for index, case in enumerate(CASES)]
every_verb = pytest.mark.parametrize("case", CASES, ids=NAMED)


def _warm(opener: Opener, proxy: Proxy) -> FullBackend:
    """A backend behind the proxy that is past its handshake and its fence."""
    backend = opener(proxy.url)
    backend.next_due("warm")
    return backend


def _works(backend: FullBackend, queue: str) -> None:
    backend.enqueue(f"{queue}-after", "g", b"")
    assert backend.depth(f"{queue}-after", "g") == 1


def test_the_cases_cover_every_verb() -> None:
    verbs = {name for name in dir(Verbs) if not name.startswith("_")} - {"close"}
    assert {case.verb for case in CASES} == verbs


@every_verb
def test_conn_2_eaten_reply_means_once_and_unknown_or_the_plain_answer(
    case: VerbCase,
    queue: str,
    open_face: Opener,
    proxy: Proxy,
    direct: ValkeyBackend,
    raw: redis.Redis,
) -> None:
    control = f"{queue}-control"
    for name in (queue, control):
        case.prepare(direct, raw, name)
    backend = _warm(open_face, proxy)
    proxy.arm(Fate.EAT)
    expected = case.call(direct, control)
    if case.kind is Kind.WRITE:
        with pytest.raises(OutcomeUnknown) as caught:
            case.call(backend, queue)
        assert caught.value.verb == case.verb
        assert len(proxy.seen) == 1
    else:
        answer = case.call(backend, queue)
        assert coarse(answer, queue) == coarse(expected, control)
        assert proxy.seen[0] == proxy.seen[1]
    assert coarse(direct.snapshot(queue), queue) == coarse(direct.snapshot(control), control)
    _works(backend, queue)


@every_verb
def test_conn_2_request_cut_off_takes_no_effect_unless_it_may_be_repeated(
    case: VerbCase,
    queue: str,
    open_face: Opener,
    proxy: Proxy,
    direct: ValkeyBackend,
    raw: redis.Redis,
) -> None:
    control = f"{queue}-control"
    for name in (queue, control):
        case.prepare(direct, raw, name)
    backend = _warm(open_face, proxy)
    proxy.arm(Fate.CUT)
    if case.kind is Kind.WRITE:
        before = coarse(direct.snapshot(queue), queue)
        with pytest.raises(OutcomeUnknown):
            case.call(backend, queue)
        assert coarse(direct.snapshot(queue), queue) == before
    else:
        answer = case.call(backend, queue)
        assert coarse(answer, queue) == coarse(case.call(direct, control), control)
        assert coarse(direct.snapshot(queue), queue) == coarse(direct.snapshot(control), control)
    _works(backend, queue)


@every_verb
def test_conn_2_no_connection_is_not_applied(
    case: VerbCase,
    queue: str,
    open_face: Opener,
    proxy: Proxy,
    direct: ValkeyBackend,
    raw: redis.Redis,
) -> None:
    case.prepare(direct, raw, queue)
    before = coarse(direct.snapshot(queue), queue)
    backend = _warm(open_face, proxy)
    proxy.refuse()
    with pytest.raises(NotApplied) as caught:
        case.call(backend, queue)
    assert caught.value.verb == case.verb
    assert coarse(direct.snapshot(queue), queue) == before
    proxy.accept()
    case.call(backend, queue)
    _works(backend, queue)
