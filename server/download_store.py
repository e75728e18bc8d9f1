"""Generated downloads, stored until the browser has fetched them.

Streamlit forgets what a download button makes as soon as two runs of any visitor have ended. On a busy server that is
before the browser can ask for it: the visitor would get "File not found".
"""

import itertools
import threading
import time
from collections.abc import Callable

from server import streamlit_internals
from server.singleton import singleton

MIN_SECONDS = 60.0  # that a file is stored, unless the limits below are reached
MAX_FILES, MAX_BYTES = 64, 128 * 2**20  # at once; the oldest are evicted

StoreFile = Callable[[bytes, str, str, str], None]  # content, type, slot, name


class DownloadStore:
    """The stored files. Safe to use from several threads.

    Args:
        store: stores a file in a slot and replaces the file there.
        clock: seconds.
    """

    def __init__(
        self, store: StoreFile = streamlit_internals.store_file, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._store, self._clock = store, clock
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._slots: dict[str, tuple[float, int]] = {}  # slot -> when it was filled, number of bytes; oldest first

    def add(self, content: bytes | str, mime: str, name: str) -> bytes:
        """Store a file; return its content as bytes."""
        data = content.encode() if isinstance(content, str) else content
        with self._lock:
            slot = f"finished file {next(self._numbers) % (MAX_FILES + 1)}"
            self._slots.pop(slot, None)
            self._store(data, mime, slot, name)
            self._slots[slot] = self._clock(), len(data)
        self.evict()
        return data

    def evict(self) -> None:
        """Remove old files, and the oldest ones beyond the limits."""
        with self._lock:
            while self._slots:
                slot, (filled, _) = next(iter(self._slots.items()))
                full = len(self._slots) > MAX_FILES or sum(size for _, size in self._slots.values()) > MAX_BYTES
                if not full and self._clock() - filled < MIN_SECONDS:
                    return
                self._store(b"", "text/plain", slot, "")
                del self._slots[slot]


@singleton
def download_store() -> DownloadStore:
    """The store of this server."""
    return DownloadStore()
