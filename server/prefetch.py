"""What a reader is likely to ask for next, computed while nobody asks for anything."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from server.run_context import turns
from server.singleton import process_wide

Steps = Callable[[], Iterable[object]]  # begins work that is done while its steps are asked for

MOST = 4  # works that wait; then the oldest is forgotten
LOOK = 0.02  # seconds between two looks at whether somebody asks for something
PATIENCE = 10.0  # seconds without an idle moment after which a work is given up: by then the reader has it, or has gone


class Ahead:
    """Works one after the other in a thread of its own, each step in an idle moment. Safe to use from several threads.

    Args:
        busy: whether somebody waits for an answer now.
        patience: see `PATIENCE`.
    """

    def __init__(self, busy: Callable[[], bool], patience: float = PATIENCE) -> None:
        self._busy, self._patience = busy, patience
        self._lock = threading.Lock()
        self._works: deque[Steps] = deque(maxlen=MOST)
        self._thread: threading.Thread | None = None
        self._dropped = False  # what is being done now

    def compute(self, work: Steps) -> None:
        """Have `work` done soon. What it fails at is said to the reader who asks for the same: here it just ends."""
        with self._lock:
            self._works.append(work)
            if self._thread is None:
                self._thread = threading.Thread(target=self._all, name="computed ahead", daemon=True)
                self._thread.start()

    def drop(self) -> None:
        """Do none of it any more: nobody is there who could ask for it."""
        with self._lock:
            self._works.clear()
            self._dropped = True

    def finish(self) -> None:
        """Wait until nothing is left to do."""
        while (thread := self._thread) is not None:
            thread.join()

    def _all(self) -> None:
        while True:
            with self._lock:
                if not self._works:
                    self._thread = None
                    return
                work, self._dropped = self._works.popleft(), False
            with suppress(Exception):
                for _ in self._idle_moments(work()):
                    if self._dropped:
                        break

    def _idle_moments(self, steps: Iterable[object]) -> Iterator[object]:
        """The steps, as long as there are idle moments for them."""
        rest = iter(steps)
        while True:
            until = time.monotonic() + self._patience
            while self._busy():
                if time.monotonic() >= until:
                    return
                time.sleep(LOOK)
            try:
                yield next(rest)
            except StopIteration:
                return


@process_wide
def ahead() -> Ahead:
    """That of this server: idle is a moment in which no visitor has a turn or waits for one."""
    return Ahead(lambda: bool(turns().running or turns().waiting))
