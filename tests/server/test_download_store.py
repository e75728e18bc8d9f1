"""A file that was made for a visitor is kept for a while, and not too much of it."""

import pytest

from server import download_store
from server.download_store import FILES, SECONDS, FinishedFiles


@pytest.fixture
def shelf():
    """Files in their places, and a clock that stands still until it is moved."""
    places: dict[str, bytes] = {}
    time = [0.0]

    def keep(content: bytes, mime: str, place: str, name: str) -> None:
        places[place] = content

    kept = FinishedFiles(keep, lambda: time[0])
    return kept, lambda: sorted(filter(None, places.values())), time


def test_a_file_is_kept_for_a_while(shelf):
    kept, lying, time = shelf
    assert kept.hold("caf\u00e9", "text/csv", "a.csv") == "caf\u00e9".encode()
    time[0] = SECONDS - 1
    assert kept.hold(b"other", "text/csv", "b.csv") == b"other"
    assert lying() == ["caf\u00e9".encode(), b"other"]
    time[0] = SECONDS
    kept.let_go()
    assert lying() == [b"other"]
    time[0] = 2 * SECONDS
    kept.let_go()
    assert lying() == []


def test_of_too_many_files_the_oldest_go(shelf):
    kept, lying, _ = shelf
    for number in range(3 * FILES):
        kept.hold(b"%03d" % number, "text/csv", "a.csv")
    assert lying() == [b"%03d" % number for number in range(2 * FILES, 3 * FILES)]


def test_of_too_many_bytes_the_oldest_go(shelf, monkeypatch):
    kept, lying, _ = shelf
    monkeypatch.setattr(download_store, "BYTES", 10)
    for content in (b"aaaa", b"bbbb", b"cc", b"d"):
        kept.hold(content, "text/csv", "a.csv")
    assert lying() == [b"bbbb", b"cc", b"d"]


def test_without_a_server_nothing_is_kept():
    assert FinishedFiles().hold(b"content", "text/csv", "a.csv") == b"content"
