"""Bound how many lines the libraries write to the log, which clients cause by sockets and requests that are refused."""

import threading
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass

INTERVAL = 60.0  # seconds
MAX_KINDS = 1000  # of lines; all further ones count as one kind


@dataclass
class LineCount:
    """The lines of one kind since the last one that was written."""

    text: str  # of the line that was written
    since: float  # seconds of the clock when it was written
    omitted: int = 0  # lines of the same kind that were not


class LogLimit:
    """Of each kind of line the first one in an interval; the others are counted. Safe to use from several threads."""

    def __init__(self, interval: float = INTERVAL, clock: Callable[[], float] = time.monotonic) -> None:
        self._interval, self._clock = interval, clock
        self._lock = threading.Lock()
        self._counts: dict[Hashable, LineCount] = {}

    def admits(self, kind: Hashable, text: str) -> bool:
        """Whether a line may be written; else it is counted."""
        with self._lock:
            if len(self._counts) >= MAX_KINDS and kind not in self._counts:
                kind, text = None, "lines of many kinds"
            count = self._counts.get(kind)
            if count is None:
                self._counts[kind] = LineCount(text, self._clock())
                return True
            count.omitted += 1
            return False

    def ended(self) -> list[LineCount]:
        """The kinds with omitted lines whose interval is over; their next line is written again."""
        with self._lock:
            now = self._clock()
            over = {kind: count for kind, count in self._counts.items() if now - count.since >= self._interval}
            for kind in over:
                del self._counts[kind]
            return [count for count in over.values() if count.omitted]
