"""A lock for long work that a hanging holder does not keep for ever: it is given to the next one that waits.

A computation cannot be ended from outside: a library that never returns keeps its thread. It would keep the lock too,
and all other visitors would wait for good. So what has held the lock for long without progress loses it, and goes on
without; after a few of those the lock stays where it is, and `/healthz` fails.
"""

import threading
import time
import weakref
from collections.abc import Callable

from server import run_context
from server.limits import RunLimits
from server.run_queue import Busy

POLL_SECONDS = 1.0  # between two checks of a waiting thread whether the holder makes progress


class WorkLock:
    """A lock for `with`; a thread that holds it must not enter it again. Safe to use from several threads.

    Args:
        limits: `stalled_after` seconds without progress the holder loses the lock, if fewer than `stalled` others that
            lost it still go on; who waits longer than `patience` is refused.
        clock: seconds.
    """

    def __init__(self, limits: RunLimits | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits or RunLimits(), clock
        self._changed = threading.Condition()
        self._holder: int | None = None  # id of a thread
        self._since = 0.0  # time of the holder's last progress
        self._stalled: set[int] = set()  # threads that lost the lock and have not ended their work
        with _LOCK:
            _ALL.add(self)

    def __enter__(self) -> None:
        """Wait for the lock.

        Raises:
            Busy: it was not free in time.
        """
        if not self.acquire(self._limits.patience):
            raise Busy(
                "Other computations have not ended within {seconds:.0f} seconds: please try again in a minute.",
                seconds=self._limits.patience,
            )

    def __exit__(self, *_: object) -> None:
        self.release()

    def release(self) -> None:
        """Give up the lock, unless others have got it meanwhile."""
        thread = threading.get_ident()
        with self._changed:
            self._stalled.discard(thread)
            if self._holder == thread:
                self._holder = None
                self._changed.notify()

    def acquire(self, patience: float) -> bool:
        """Wait for the lock for `patience` seconds; whether this thread has it now."""
        thread, start = threading.get_ident(), self._clock()
        with self._changed:
            assert thread != self._holder, "A thread that holds the lock would wait for itself."
            while self._holder is not None and not self._dispossess():
                if self._clock() - start >= patience:
                    return False
                self._changed.wait(min(POLL_SECONDS, patience))
            self._holder, self._since = thread, self._clock()
        run_context.report_progress()  # the wait was for others
        return True

    @property
    def stalled(self) -> int:
        """The number of threads that lost the lock and go on."""
        return len(self._stalled)

    @property
    def blocked(self) -> bool:
        """Whether the holder makes no progress, and the lock could not be given to others."""
        with self._changed:
            return self._has_stalled() and len(self._stalled) >= self._limits.stalled

    def _has_stalled(self) -> bool:
        return self._holder is not None and self._clock() - self._since >= self._limits.stalled_after

    def _dispossess(self) -> bool:
        """Take the lock from a holder without progress; whether it is free now."""
        if not self._has_stalled() or len(self._stalled) >= self._limits.stalled:
            return False
        assert self._holder is not None
        self._stalled.add(self._holder)
        self._holder = None
        return True


_LOCK = threading.Lock()
_ALL: "weakref.WeakSet[WorkLock]" = weakref.WeakSet()


def any_blocked() -> bool:
    """Whether any lock of this process is held for good."""
    with _LOCK:
        locks = list(_ALL)
    return any(lock.blocked for lock in locks)
