"""Fixtures: the tiny app in a process of its own, once a file."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.small_app import SmallServer


@pytest.fixture(scope="module")
def server() -> Iterator[SmallServer]:
    with SmallServer() as server:
        yield server
        log = server.log()
    assert "Traceback" not in log and "atlas" not in log, log


@pytest.fixture(scope="module")
def quick() -> Iterator[SmallServer]:
    """The same with times of a second or two."""
    with SmallServer("quick") as server:
        yield server
        log = server.log()
    assert "Traceback" not in log, log
