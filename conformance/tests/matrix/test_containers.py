"""Containers: which image, what is missing without Docker, and addresses of a private network."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from echomq_conformance import containers
from echomq_conformance.server_targets import ByMap


def test_the_image_is_the_public_one_unless_another_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv(containers.IMAGE_VARIABLE, raising=False)
    assert containers.image_name() == "valkey/valkey:9.1"
    monkeypatch.setenv(containers.IMAGE_VARIABLE, "")
    assert containers.image_name() == "valkey/valkey:9.1"
    monkeypatch.setenv(containers.IMAGE_VARIABLE, "mine:1")
    assert containers.image_name() == "mine:1"


def test_without_docker_or_the_extra_what_is_missing_is_said(tmp_path: Path) -> None:
    """In a process of its own: whether the extra is installed or not, no Docker is at that socket."""
    done = subprocess.run(
        (sys.executable, "-m", "echomq_conformance.containers"),
        env={**os.environ, "DOCKER_HOST": f"unix://{tmp_path}/none"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Docker does not answer" in done.stdout or "echomq[containers]" in done.stdout


@pytest.mark.parametrize(
    ("name", "claims"),
    [
        ("container", frozenset[str]()),
        ("container-async", frozenset({"async"})),
        ("container-cluster", frozenset({"cluster"})),
        ("container-cluster-async", frozenset({"async", "cluster"})),
    ],
)
def test_targets_claim_what_their_servers_offer(name: str, claims: frozenset[str]) -> None:
    target = getattr(containers, name.replace("-", "_"))()
    assert target.name == name
    assert target.claims & {"async", "cluster"} == claims
    assert target.claims >= {"core", "control", "bulk", "wake", "concurrent", "durable", "wire"}


def test_addresses_of_the_private_network_are_reached_on_loopback_also_in_other_processes() -> None:
    reach = ByMap(
        {("10.9.0.2", 6379): ("127.0.0.1", 40001), ("10.9.0.3", 6379): ("127.0.0.1", 40002)}
    )
    there = pickle.loads(pickle.dumps(reach.sync)).__self__
    assert there.remap(("10.9.0.3", 6379)) == ("127.0.0.1", 40002)
    assert there.remap(("10.9.0.4", 6379)) == ("10.9.0.4", 6379)
    arguments = reach.client_arguments()
    assert (arguments["host"], arguments["port"]) == ("127.0.0.1", 40001)
    assert arguments["retry"].get_retries() == 0
