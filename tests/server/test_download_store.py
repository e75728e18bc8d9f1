"""Downloads are stored for a while, within limits."""

import pytest

from server import download_store
from server.download_store import MAX_FILES, MIN_SECONDS, DownloadStore


@pytest.fixture
def setup():
    """A store, a function that returns the contents of its files, and a clock that the test sets."""
    slots: dict[str, bytes] = {}
    time = [0.0]

    def store_file(content: bytes, mime: str, slot: str, name: str) -> None:
        slots[slot] = content

    store = DownloadStore(store_file, lambda: time[0])
    return store, lambda: sorted(filter(None, slots.values())), time


def test_a_file_is_stored_for_the_minimum_time(setup):
    store, contents, time = setup
    assert store.add("caf\u00e9", "text/csv", "a.csv") == "caf\u00e9".encode()
    time[0] = MIN_SECONDS - 1
    assert store.add(b"other", "text/csv", "b.csv") == b"other"
    assert contents() == ["caf\u00e9".encode(), b"other"]
    time[0] = MIN_SECONDS
    store.evict()
    assert contents() == [b"other"]
    time[0] = 2 * MIN_SECONDS
    store.evict()
    assert contents() == []


def test_the_oldest_files_are_evicted_beyond_the_number(setup):
    store, contents, _ = setup
    for number in range(3 * MAX_FILES):
        store.add(b"%03d" % number, "text/csv", "a.csv")
    assert contents() == [b"%03d" % number for number in range(2 * MAX_FILES, 3 * MAX_FILES)]


def test_the_oldest_files_are_evicted_beyond_the_bytes(setup, monkeypatch):
    store, contents, _ = setup
    monkeypatch.setattr(download_store, "MAX_BYTES", 10)
    for content in (b"aaaa", b"bbbb", b"cc", b"d"):
        store.add(content, "text/csv", "a.csv")
    assert contents() == [b"bbbb", b"cc", b"d"]


def test_without_a_server_nothing_is_stored():
    assert DownloadStore().add(b"content", "text/csv", "a.csv") == b"content"
