"""Server URLs to the arguments of redis-py connections. Pure; unknown options are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from echomq_core import InvalidArgument

__all__ = ["SOCKET_TIMEOUT_S", "ServerUrl", "parse_url"]

SOCKET_TIMEOUT_S = 10.0
CONNECT_TIMEOUT_S = 5.0
CONNECTIONS = 64

Transport = Literal["tcp", "tls", "unix"]

_TRANSPORTS: dict[str, Transport] = {
    "valkey": "tcp",
    "redis": "tcp",
    "valkeys": "tls",
    "rediss": "tls",
    "unix": "unix",
}


@dataclass(frozen=True, slots=True)
class ServerUrl:
    """Where and how to connect: `options` are keyword arguments of the connection class."""

    transport: Transport
    options: dict[str, Any] = field(repr=False)
    max_connections: int = CONNECTIONS


def _whole(low: int, high: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdecimal() and low <= int(text) <= high):
            raise ValueError(f"a whole number from {low} to {high}")
        return int(text)

    return read


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 86_400:
        raise ValueError("seconds above 0, up to 86400")
    return value


def _flag(text: str) -> bool:
    if text.lower() not in {"true", "false", "yes", "no", "1", "0"}:
        raise ValueError("true or false")
    return text.lower() in {"true", "yes", "1"}


def _one_of(*choices: str) -> Callable[[str], str]:
    def read(text: str) -> str:
        if text not in choices:
            raise ValueError(f"one of {', '.join(choices)}")
        return text

    return read


def _text(text: str) -> str:
    if not text:
        raise ValueError("text")
    return text


_database = _whole(0, 2**31 - 1)

_OPTIONS: dict[str, Callable[[str], Any]] = {
    "client_name": _text,
    "db": _database,
    "max_connections": _whole(1, 10_000),
    "protocol": _whole(2, 3),
    "socket_connect_timeout": _seconds,
    "socket_timeout": _seconds,
}
_TCP_OPTIONS: dict[str, Callable[[str], Any]] = {"socket_keepalive": _flag}
_TLS_OPTIONS: dict[str, Callable[[str], Any]] = {
    "ssl_ca_certs": _text,
    "ssl_ca_path": _text,
    "ssl_cert_reqs": _one_of("none", "optional", "required"),
    "ssl_certfile": _text,
    "ssl_check_hostname": _flag,
    "ssl_keyfile": _text,
    "ssl_password": _text,
}


def parse_url(url: object) -> ServerUrl:
    """What a `valkey://`, `valkeys://`, `redis://`, `rediss://` or `unix://` URL asks for.

    `scheme://user:password@host:port/db?option=value`; `unix:///path?db=n`. Raises
    `InvalidArgument`, in which the password is hidden.
    """
    if not isinstance(url, str):
        raise InvalidArgument("url", url, "a URL is a str", "Pass valkey://localhost:6379/0")
    split = urlsplit(url)
    shown = _without_password(split)
    transport = _TRANSPORTS.get(split.scheme.lower())
    if transport is None:
        known = ", ".join(f"{name}://" for name in _TRANSPORTS)
        raise InvalidArgument("url", shown, f"the scheme is one of {known}", "Correct the scheme")
    if split.fragment:
        raise InvalidArgument(
            "url", shown, "a URL of a server has no '#'", "Write it as %23 in a password"
        )
    options = _options(split, transport, shown)
    max_connections = options.pop("max_connections", CONNECTIONS)
    options |= _credentials(split)
    options |= _unix_path(split, shown) if transport == "unix" else _address(split, shown, options)
    options.setdefault("socket_timeout", SOCKET_TIMEOUT_S)
    options.setdefault("socket_connect_timeout", CONNECT_TIMEOUT_S)
    return ServerUrl(transport, options, max_connections)


def _options(split: SplitResult, transport: Transport, shown: str) -> dict[str, Any]:
    readers = dict(_OPTIONS)
    if transport != "unix":
        readers |= _TCP_OPTIONS
    if transport == "tls":
        readers |= _TLS_OPTIONS
    options: dict[str, Any] = {}
    for name, value in parse_qsl(split.query, keep_blank_values=True):
        if name not in readers:
            raise InvalidArgument(
                f"url option {name}",
                "***" if "pass" in name else value,
                f"the options of {split.scheme}:// are {', '.join(sorted(readers))}",
                "Remove it, or hand in a ready redis-py client instead of a URL",
            )
        if name in options:
            raise InvalidArgument(
                f"url option {name}", shown, "an option is given once", "Remove one of them"
            )
        try:
            options[name] = readers[name](value)
        except ValueError as wrong:
            raise InvalidArgument(
                f"url option {name}", value, f"{name} is {wrong}", "Correct it"
            ) from None
    return options


def _credentials(split: SplitResult) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if split.username:
        found["username"] = unquote(split.username)
    if split.password:
        found["password"] = unquote(split.password)
    return found


def _address(split: SplitResult, shown: str, options: dict[str, Any]) -> dict[str, Any]:
    try:
        port = split.port
    except ValueError:
        raise InvalidArgument("url", shown, "a port is 0 to 65535", "Correct the port") from None
    address: dict[str, Any] = {
        "host": unquote(split.hostname) if split.hostname else "localhost",
        "port": 6379 if port is None else port,
    }
    path = unquote(split.path).strip("/")
    if path:
        if "db" in options:
            raise InvalidArgument(
                "url", shown, "the database is in the path or in ?db=, not both", "Drop one"
            )
        try:
            address["db"] = _database(path)
        except ValueError:
            raise InvalidArgument(
                "url", shown, "the path is a database number", "For example valkey://host/0"
            ) from None
    return address


def _unix_path(split: SplitResult, shown: str) -> dict[str, Any]:
    host = split.netloc.rpartition("@")[2]
    if host or not split.path:
        raise InvalidArgument(
            "url",
            shown,
            "a socket is named by an absolute path",
            "Three slashes: unix:///run/valkey.sock?db=0",
        )
    return {"path": unquote(split.path)}


def _without_password(split: SplitResult) -> str:
    userinfo, at, host = split.netloc.rpartition("@")
    user, colon, _ = userinfo.partition(":")
    netloc = f"{user}{colon}***{at}{host}" if colon else split.netloc
    return split._replace(netloc=netloc).geturl()
