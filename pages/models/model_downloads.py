"""Downloads of this process: each runs once, whoever waits for it sees how far it is, and may leave and come back."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from model import OpenError
from model.hub.source import folder_of
from server.singleton import singleton
from views.text.catalogue import say
from views.text.numbers import percent

POLL_SECONDS = 0.2  # seconds between two looks at how far it is


@dataclass
class Download:
    """One that runs or has ended.

    Attributes:
        here, total: bytes; 0 in all while that is not known.
        error: why it could not be finished.
    """

    here: int = 0
    total: int = 0
    error: OpenError | None = None

    def tell(self, here: int, total: int) -> None:
        """So much of it is there."""
        self.here, self.total = here, total


class Downloads:
    """By source. Safe to use from several threads.

    Args:
        fetch: brings the files of a source here, and tells how far it is.
    """

    def __init__(self, fetch: Callable[[str, Callable[[int, int], None]], object]) -> None:
        self._fetch, self._lock = fetch, threading.Lock()
        self._running: dict[str, tuple[threading.Thread, Download]] = {}

    def follow(self, source: str, show: Callable[[Download], None]) -> None:
        """Wait until a source is here; `show` is called again and again, in this thread.

        Raises:
            OpenError: it cannot be fetched.
        """
        with self._lock:
            if source not in self._running:
                found = Download()
                thread = threading.Thread(target=self._run, args=(source, found), daemon=True)
                self._running[source] = thread, found
                thread.start()
            thread, found = self._running[source]
        while thread.is_alive():
            show(found)
            thread.join(POLL_SECONDS)
        if found.error is not None:
            raise found.error

    def _run(self, source: str, found: Download) -> None:
        try:
            self._fetch(source, found.tell)
        except OpenError as error:
            found.error = error
        finally:
            with self._lock:
                del self._running[source]


@singleton
def downloads() -> Downloads:
    """Of this process."""
    return Downloads(lambda source, tell: folder_of(source, download=True, progress=tell))


def fetch(source: str) -> None:
    """Fetch a source, with a bar that says how far it is.

    Raises:
        OpenError: it cannot be fetched.
    """
    bar = st.progress(0.0, say("models.asking", "Asking the hub"))

    def show(found: Download) -> None:
        if found.total:
            size = f"{found.total / 1e6:.1f}"
            said = say("models.progress", "{share} of {size} MB", share=percent(found.here / found.total), size=size)
            bar.progress(min(1.0, found.here / found.total), said)

    try:
        downloads().follow(source, show)
    finally:
        bar.empty()
