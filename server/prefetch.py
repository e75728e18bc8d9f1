"""Prefetch: compute what a user is likely to request next while the server is idle."""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress

from server.run_context import run_queue
from server.singleton import singleton

StartJob = Callable[[], Iterable[object]]  # starts a job, which runs as its steps are iterated over

MAX_JOBS = 4  # jobs that wait; beyond that the oldest is dropped
POLL_SECONDS = 0.02  # seconds between two checks whether the server is idle
# Seconds without an idle moment after which a job is dropped: by then the user has the result, or left.
PATIENCE = 10.0


class Prefetcher:
    """Runs jobs one after the other in its own thread, each step in an idle moment. Safe to use from several threads.

    Args:
        busy: whether a visitor waits for an answer now.
        patience: see `PATIENCE`.
    """

    def __init__(self, busy: Callable[[], bool], patience: float = PATIENCE) -> None:
        self._busy, self._patience = busy, patience
        self._lock = threading.Lock()
        self._jobs: deque[StartJob] = deque(maxlen=MAX_JOBS)
        self._thread: threading.Thread | None = None
        self._cancelled = False  # the job that runs now

    def submit(self, job: StartJob) -> None:
        """Run `job` soon. An error ends it silently: the request for the same result reports it."""
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="prefetch", daemon=True)
                self._thread.start()

    def cancel(self) -> None:
        """Cancel all pending work."""
        with self._lock:
            self._jobs.clear()
            self._cancelled = True

    def join(self) -> None:
        """Wait until all jobs have ended."""
        while (thread := self._thread) is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._jobs:
                    self._thread = None
                    return
                job, self._cancelled = self._jobs.popleft(), False
            with suppress(Exception):
                for _ in self._idle_moments(job()):
                    if self._cancelled:
                        break

    def _idle_moments(self, steps: Iterable[object]) -> Iterator[object]:
        """Iterate over the steps, each in an idle moment, until there was none for `patience` seconds."""
        rest = iter(steps)
        while True:
            until = time.monotonic() + self._patience
            while self._busy():
                if time.monotonic() >= until:
                    return
                time.sleep(POLL_SECONDS)
            try:
                yield next(rest)
            except StopIteration:
                return


@singleton
def prefetcher() -> Prefetcher:
    """The prefetcher of this server, which is idle while no run is running or waiting."""
    return Prefetcher(lambda: bool(run_queue().running or run_queue().waiting))
