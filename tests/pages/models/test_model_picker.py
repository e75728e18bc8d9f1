"""A download runs once, all who wait for it see its progress, and a visitor who leaves does not stop it."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from model import OpenError
from pages.models import model_picker
from pages.models.model_picker import Download, Downloads


@pytest.fixture(autouse=True)
def short_poll_interval(monkeypatch):
    monkeypatch.setattr(model_picker, "POLL_SECONDS", 0.005)


def test_two_visitors_follow_one_download():
    sources, seen_half = [], threading.Barrier(3, timeout=60)

    def fetch(source, tell):
        sources.append(source)
        tell(50, 100)
        seen_half.wait()
        tell(100, 100)

    running = Downloads(fetch)

    def wait_for() -> list[tuple[int, int]]:
        progress = []

        def render(download: Download) -> None:
            if not progress and download.received == 50:
                progress.append((download.received, download.total))
                seen_half.wait()

        running.follow("owner/name", render)
        return progress

    with ThreadPoolExecutor(2) as pool:
        assert [each.result() for each in [pool.submit(wait_for) for _ in range(2)]] == [[(50, 100)]] * 2
    assert sources == ["owner/name"]


def test_a_visitor_who_leaves_does_not_stop_the_download():
    class Left(Exception):
        """The page is run again."""

    done, sources = threading.Event(), []

    def fetch(source, tell):
        sources.append(source)
        assert done.wait(5)

    def leave(download: Download) -> None:
        raise Left

    running = Downloads(fetch)
    with pytest.raises(Left):
        running.follow("owner/name", leave)
    running.follow("owner/name", lambda download: done.set())
    assert sources == ["owner/name"]


def test_an_error_is_raised_and_the_download_can_be_retried():
    outcomes = [OpenError("The hub has none."), None]

    def fetch(source, tell):
        if (error := outcomes.pop(0)) is not None:
            raise error

    running = Downloads(fetch)
    with pytest.raises(OpenError, match="The hub has none"):
        running.follow("owner/name", lambda download: None)
    running.follow("owner/name", lambda download: None)
    assert outcomes == []
