"""Operations and answers as JSON and back, without loss: what a history is saved as.

Plain values are themselves; everything else is an object with one member, whose name says what it
is: `{"Job": {...}}`, `{"CompleteVerdict": "gone"}`, `{"bytes": "00ff"}`, `{"tuple": [...]}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import StrEnum
from typing import Any, cast

from echomq_core import ops, values
from echomq_core.ops import QueueOp

__all__ = ["Raised", "decode", "decode_op", "encode", "encode_op", "operation_of"]


class Raised(str):
    """An answer that was none: the text of what a verb raised. Equal to no answer."""

    __slots__ = ()


_VERBS: dict[str, type[QueueOp[Any]]] = {
    kind.verb: kind
    for kind in vars(ops).values()
    if isinstance(kind, type) and issubclass(kind, QueueOp) and "verb" in vars(kind)
}

_VALUES: dict[str, type] = {name: vars(values)[name] for name in values.__all__}


def operation_of(verb: str) -> type[QueueOp[Any]]:
    """The operation of a verb. Raises `KeyError`."""
    return _VERBS[verb]


def encode_op(op: QueueOp[Any]) -> dict[str, Any]:
    """The verb's name, and its arguments by name."""
    return {"verb": op.verb} | {item.name: encode(getattr(op, item.name)) for item in fields(op)}


def decode_op(data: Mapping[str, Any]) -> QueueOp[Any]:
    """Raises `InvalidArgument`, `KeyError` for what is no operation."""
    arguments = {name: decode(value) for name, value in data.items() if name != "verb"}
    return operation_of(data["verb"])(**arguments)


def encode(value: Any) -> Any:
    match value:
        case Raised():
            return {"raised": str(value)}
        case StrEnum():
            return {type(value).__name__: value.value}
        case None | bool() | int() | float() | str():
            return value
        case bytes():
            return {"bytes": value.hex()}
        case list():
            return [encode(item) for item in value]
        case tuple():
            return {"tuple": [encode(item) for item in value]}
        case frozenset():
            return {"set": sorted(value)}
        case Mapping():
            return {"map": [[encode(key), encode(item)] for key, item in value.items()]}
        case _ if is_dataclass(value) and type(value).__name__ in _VALUES:
            shown = {item.name: encode(getattr(value, item.name)) for item in fields(value)}
            return {type(value).__name__: shown}
        case _:
            # A backend may answer anything; then it is shown, and equal to no right answer.
            return {"raised": f"answered {value!r}"}


def decode(data: Any) -> Any:
    if isinstance(data, list):
        return [decode(item) for item in data]
    if not isinstance(data, dict):
        return data
    ((kind, inner),) = data.items()
    match kind:
        case "raised":
            return Raised(inner)
        case "bytes":
            return bytes.fromhex(inner)
        case "tuple":
            return tuple(decode(item) for item in inner)
        case "set":
            return frozenset(inner)
        case "map":
            return {decode(key): decode(item) for key, item in inner}
        case _:
            made = _VALUES[kind]
            if issubclass(made, StrEnum):
                return made(inner)
            arguments = {name: decode(item) for name, item in cast("dict[str, Any]", inner).items()}
            return made(**arguments)
