"""Downloads of this process: each runs once, with progress for every visitor who waits, who may leave and return."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from model import OpenError
from model.hub.source import folder_of
from server.singleton import singleton
from views.text.catalogue import say
from views.text.numbers import percent

POLL_SECONDS = 0.2  # seconds between two updates of the progress


@dataclass
class Download:
    """The state of a download."""

    # `received`, `total`: bytes; `total` is 0 until it is known
    received: int = 0
    total: int = 0
    error: OpenError | None = None  # why it failed

    def update(self, received: int, total: int) -> None:
        """Store the progress."""
        self.received, self.total = received, total


class Downloads:
    """Running downloads by source. Safe to use from several threads.

    Args:
        fetch: downloads the files of a source, and calls its second argument with bytes received and in all.
    """

    def __init__(self, fetch: Callable[[str, Callable[[int, int], None]], object]) -> None:
        self._fetch, self._lock = fetch, threading.Lock()
        self._running: dict[str, tuple[threading.Thread, Download]] = {}

    def follow(self, source: str, render: Callable[[Download], None]) -> None:
        """Wait until a source is downloaded; `render` is called repeatedly, in this thread.

        Raises:
            OpenError: it cannot be downloaded.
        """
        with self._lock:
            if source not in self._running:
                download = Download()
                thread = threading.Thread(target=self._run, args=(source, download), daemon=True)
                self._running[source] = thread, download
                thread.start()
            thread, download = self._running[source]
        while thread.is_alive():
            render(download)
            thread.join(POLL_SECONDS)
        if download.error is not None:
            raise download.error

    def _run(self, source: str, download: Download) -> None:
        try:
            self._fetch(source, download.update)
        except OpenError as error:
            download.error = error
        finally:
            with self._lock:
                del self._running[source]


@singleton
def downloads() -> Downloads:
    """Return the downloads of this process."""
    return Downloads(lambda source, update: folder_of(source, download=True, progress=update))


def fetch(source: str) -> None:
    """Download a source, with a progress bar.

    Raises:
        OpenError: it cannot be downloaded.
    """
    bar = st.progress(0.0, say("models.asking", "Asking the hub"))

    def render(download: Download) -> None:
        if download.total:
            size, share = f"{download.total / 1e6:.1f}", download.received / download.total
            text = say("models.progress", "{share} of {size} MB", share=percent(share), size=size)
            bar.progress(min(1.0, share), text)

    try:
        downloads().follow(source, render)
    finally:
        bar.empty()
