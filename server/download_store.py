"""Files that were made for a visitor, kept until the browser has fetched them.

Streamlit forgets what a download button makes as soon as two runs of anybody's pages have ended, and beside a busy
crowd that is sooner than the browser can ask for it: the visitor would get "File not found".
"""

import itertools
import threading
import time
from collections.abc import Callable

from server import streamlit_internals
from server.singleton import process_wide

SECONDS = 60.0  # that a file is kept at least, unless the limits below are reached
FILES, BYTES = 64, 128 * 2**20  # at once; then the oldest go

Keep = Callable[[bytes, str, str, str], None]  # content, type, the place that it takes, name


class FinishedFiles:
    """The files that are kept. Safe to use from several threads.

    Args:
        keep: keeps a file in a place, in which it replaces another one.
        clock: seconds.
    """

    def __init__(self, keep: Keep = streamlit_internals.keep_file, clock: Callable[[], float] = time.monotonic) -> None:
        self._keep, self._clock = keep, clock
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._kept: dict[str, tuple[float, int]] = {}  # place -> when it was taken and how many bytes lie there

    def hold(self, content: bytes | str, mime: str, name: str) -> bytes:
        """Keep a file from now on; its content as it is to be handed out."""
        whole = content.encode() if isinstance(content, str) else content
        with self._lock:
            place = f"finished file {next(self._numbers) % (FILES + 1)}"
            self._kept.pop(place, None)
            self._keep(whole, mime, place, name)
            self._kept[place] = self._clock(), len(whole)
        self.let_go()
        return whole

    def let_go(self) -> None:
        """Let go of what is old, and of the oldest where there is too much."""
        with self._lock:
            while self._kept:
                place, (taken, _) = next(iter(self._kept.items()))
                much = len(self._kept) > FILES or sum(size for _, size in self._kept.values()) > BYTES
                if not much and self._clock() - taken < SECONDS:
                    return
                self._keep(b"", "text/plain", place, "")
                del self._kept[place]


@process_wide
def finished_files() -> FinishedFiles:
    """Those of this server."""
    return FinishedFiles()
