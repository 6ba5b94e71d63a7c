"""URLs of servers: what they mean, and that nothing unknown passes."""

from __future__ import annotations

from typing import Any

import pytest
from echomq_valkey.urls import parse_url

from echomq_core import InvalidArgument

DEFAULTS: dict[str, Any] = {"socket_timeout": 10.0, "socket_connect_timeout": 5.0}
LOCAL: dict[str, Any] = {"host": "localhost", "port": 6379}


@pytest.mark.parametrize(
    ("url", "transport", "options"),
    [
        ("valkey://", "tcp", LOCAL),
        ("redis://h:1/3", "tcp", {"host": "h", "port": 1, "db": 3}),
        ("VALKEY://h/", "tcp", {"host": "h", "port": 6379}),
        ("valkey://[::1]:7000", "tcp", {"host": "::1", "port": 7000}),
        ("valkeys://h", "tls", {"host": "h", "port": 6379}),
        (
            "rediss://h?ssl_cert_reqs=none&ssl_check_hostname=false&ssl_ca_certs=/c",
            "tls",
            {
                "host": "h",
                "port": 6379,
                "ssl_cert_reqs": "none",
                "ssl_check_hostname": False,
                "ssl_ca_certs": "/c",
            },
        ),
        ("valkey://:p%40ss@h", "tcp", {"host": "h", "port": 6379, "password": "p@ss"}),
        (
            "valkey://u%3A:p@h?db=2&protocol=3",
            "tcp",
            {
                "host": "h",
                "port": 6379,
                "username": "u:",
                "password": "p",
                "db": 2,
                "protocol": 3,
            },
        ),
        ("unix:///run/a%20b.sock?db=4", "unix", {"path": "/run/a b.sock", "db": 4}),
        (
            "unix://u:p@/s?client_name=me",
            "unix",
            {"path": "/s", "username": "u", "password": "p", "client_name": "me"},
        ),
        ("valkey://?socket_timeout=0.5", "tcp", {**LOCAL, "socket_timeout": 0.5}),
        ("valkey://?socket_keepalive=no", "tcp", {**LOCAL, "socket_keepalive": False}),
    ],
)
def test_url_names_server_user_and_database(
    url: str, transport: str, options: dict[str, Any]
) -> None:
    parsed = parse_url(url)
    assert (transport, DEFAULTS | options) == (parsed.transport, parsed.options)
    assert parsed.max_connections == 64


def test_url_bounds_the_connections() -> None:
    assert parse_url("valkey://?max_connections=3").max_connections == 3


@pytest.mark.parametrize(
    ("url", "argument"),
    [
        (None, "url"),
        ("http://h", "url"),
        ("valkey://h:99999", "url"),
        ("valkey://h/x", "url"),
        ("valkey://h/1?db=1", "url"),
        ("valkey://u:a#b@h", "url"),
        ("unix://relative", "url"),
        ("unix://", "url"),
        ("valkey://h?retry=3", "url option retry"),
        ("valkey://h?decode_responses=1", "url option decode_responses"),
        ("valkey://h?ssl_cert_reqs=none", "url option ssl_cert_reqs"),
        ("unix:///s?socket_keepalive=1", "url option socket_keepalive"),
        ("valkey://h?db=-1", "url option db"),
        ("valkey://h?db=1&db=2", "url option db"),
        ("valkey://h?protocol=4", "url option protocol"),
        ("valkey://h?socket_timeout=0", "url option socket_timeout"),
        ("valkey://h?socket_timeout=nan", "url option socket_timeout"),
        ("valkey://h?socket_timeout=x", "url option socket_timeout"),
        ("valkey://h?max_connections=0", "url option max_connections"),
        ("valkeys://h?ssl_cert_reqs=maybe", "url option ssl_cert_reqs"),
        ("valkeys://h?ssl_check_hostname=maybe", "url option ssl_check_hostname"),
        ("valkey://h?client_name=", "url option client_name"),
    ],
)
def test_url_that_cannot_be_meant_is_refused(url: str, argument: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_url(url)
    assert caught.value.argument == argument


def test_url_option_that_is_unknown_lists_the_known_ones() -> None:
    with pytest.raises(InvalidArgument, match="client_name, db, max_connections, protocol"):
        parse_url("valkey://h?tls=1")


@pytest.mark.parametrize(
    "url", ["http://u:secret@h", "valkey://u:secret@h:x", "valkey://h?password=secret"]
)
def test_url_error_hides_the_password(url: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        parse_url(url)
    assert "secret" not in str(caught.value)
    assert "secret" not in repr(caught.value)
