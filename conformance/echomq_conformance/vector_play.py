"""Plays interop vectors: lays the keys, calls the verb, holds answer and keys against the vector."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from echomq_core import EchoMQError, Empty, FullBackend, Keyspace, NewJob, Swept

from .target import Probe
from .vector import NOW_PLUS, Vector

__all__ = ["differences"]

_TIME = "#!lua flags=no-writes\nreturn redis.call('TIME')"


def differences(vector: Vector, backend: FullBackend, probe: Probe, queue: str) -> list[str]:
    """What is not as the vector says, one sentence each; nothing when all is right.

    `queue` must be empty. Its keys are left as the verb left them.
    """
    base = Keyspace(queue).base
    started = _now_ms(probe, queue)
    for name, value in vector.given.items():
        _lay(probe, base + name, value, started)
    clock = _Clock(_now_ms(probe, queue))
    answer, raised = None, None
    try:
        answer = getattr(backend, vector.verb)(queue, **_arguments(vector.args))
    except EchoMQError as error:
        raised = type(error).__name__
    clock.latest = _now_ms(probe, queue)
    if raised != vector.raises:
        return [f"raised {raised}, expected {vector.raises or vector.answer!r}"]
    found = list(_compared("answer", vector.answer, _plain(answer, base), clock))
    held = _read(probe, base)
    for name in sorted({*vector.after, *held}):
        if name not in held:
            found.append(f"{name}: is not there, expected {vector.after[name]!r}")
        elif name not in vector.after:
            found.append(f"{name}: is there and should not be: {held[name]!r}")
        else:
            found += _compared(name, _sorted_set(vector.after[name]), held[name], clock)
    return found


@dataclass(slots=True)
class _Clock:
    """The server's now before and after the call, and what `now_plus` came out as."""

    earliest: int
    latest: int = 0
    seen: dict[int, int] = field(default_factory=dict)

    def agrees(self, plus: int, value: object) -> bool:
        """Within the time of the call; and equal offsets are one value."""
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        within = self.earliest <= value - plus <= self.latest
        return within and self.seen.setdefault(plus, value) == value


def _compared(at: str, expected: Any, got: Any, clock: _Clock) -> list[str]:
    if isinstance(expected, dict) and set(expected) == {NOW_PLUS}:
        plus = expected[NOW_PLUS]
        if clock.agrees(plus, got):
            return []
        return [
            f"{at}: expected {plus} ms after an instant from {clock.earliest} to {clock.latest}"
            f" (one and the same everywhere), got {got!r}"
        ]
    if isinstance(expected, dict) and isinstance(got, dict) and set(expected) == set(got):
        return [
            difference
            for key in expected
            for difference in _compared(f"{at}.{key}", expected[key], got[key], clock)
        ]
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [
            difference
            for index, (right, value) in enumerate(zip(expected, got, strict=True))
            for difference in _compared(f"{at}[{index}]", right, value, clock)
        ]
    same = expected == got and isinstance(expected, bool) == isinstance(got, bool)
    return [] if same else [f"{at}: expected {expected!r}, got {got!r}"]


def _sorted_set(value: Mapping[str, Any]) -> dict[str, Any]:
    return {kind: sorted(held) if kind == "set" else held for kind, held in value.items()}


# --- the keys ---------------------------------------------------------------------------------


def _now_ms(probe: Probe, queue: str) -> int:
    """The server's clock, as a script on this queue's node reads it."""
    answer: Any = probe("EVAL", _TIME, 1, Keyspace(queue).base)
    return int(answer[0]) * 1000 + int(answer[1]) // 1000


def _lay(probe: Probe, key: str, value: Mapping[str, Any], now: int) -> None:
    ((kind, held),) = value.items()
    match kind:
        case "hash":
            probe(
                "HSET", key, *(part for name, text in held.items() for part in (name, _raw(text)))
            )
        case "zset":
            scores = ((_score(score, now), member) for member, score in held.items())
            probe("ZADD", key, *(part for pair in scores for part in pair))
        case "list":
            probe("RPUSH", key, *map(_raw, held))
        case "set":
            probe("SADD", key, *map(_raw, held))
        case "string":
            probe("SET", key, held)


def _score(score: int | Mapping[str, int], now: int) -> int:
    return score if isinstance(score, int) else now + score[NOW_PLUS]


def _raw(text: str | Mapping[str, str]) -> bytes:
    return text.encode() if isinstance(text, str) else bytes.fromhex(text["hex"])


def _text(raw: Any) -> str | dict[str, str]:
    if isinstance(raw, str):
        return raw
    try:
        text: str = raw.decode()
    except UnicodeDecodeError:
        return {"hex": raw.hex()}
    return text


def _read(probe: Probe, base: str) -> dict[str, Any]:
    """Every key of the queue as a vector writes it; sets sorted."""
    names: Any = probe("KEYS", base + "*")
    return {str(_text(name)).removeprefix(base): _value(probe, name) for name in names}


def _value(probe: Probe, key: Any) -> dict[str, Any]:
    kind = str(_text(probe("TYPE", key)))
    held: Any
    match kind:
        case "hash":
            held = probe("HGETALL", key)
            pairs = (
                held.items() if isinstance(held, dict) else zip(held[::2], held[1::2], strict=True)
            )
            return {kind: {str(_text(name)): _text(value) for name, value in pairs}}
        case "zset":
            held = probe("ZRANGE", key, 0, -1)
            return {
                kind: {str(_text(member)): _whole(probe("ZSCORE", key, member)) for member in held}
            }
        case "list":
            held = probe("LRANGE", key, 0, -1)
            return {kind: [_text(item) for item in held]}
        case "set":
            held = probe("SMEMBERS", key)
            return {kind: sorted(str(_text(member)) for member in held)}
        case "string":
            return {kind: _text(probe("GET", key))}
        case _:
            return {kind: None}


def _whole(score: Any) -> int | float:
    value = float(score)
    return int(value) if value.is_integer() else value


# --- the call ---------------------------------------------------------------------------------


def _arguments(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as the verbs take them: bytes, `NewJob`s, pairs."""
    made = dict(args)
    if "payload" in made:
        made["payload"] = _raw(made["payload"])
    if "items" in made:
        made["items"] = [NewJob(**_arguments(item)) for item in made["items"]]
    if "pairs" in made:
        made["pairs"] = [tuple(pair) for pair in made["pairs"]]
    return made


def _plain(answer: Any, base: str) -> Any:
    """An answer as a vector writes it: names of fields, texts, numbers; keys without the base."""
    match answer:
        case Empty():
            return {"empty": str(answer.reason)}
        case Swept():
            return {item.name: getattr(answer, item.name) for item in fields(answer)}
        case list():
            return [_plain(item, base) for item in answer]
        case bytes():
            return _text(answer)
        case str():
            return str(answer).removeprefix(base)
        case _ if is_dataclass(answer):
            return {item.name: _plain(getattr(answer, item.name), base) for item in fields(answer)}
        case _:
            return answer
