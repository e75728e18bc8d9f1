"""Objects that are created on request, shared by all visitors, and released when nobody has requested them for a while.

For networks of single parts: a part requests its network at every run, so that one whose part nobody has open is not
requested any more.
"""

import time
import weakref
from collections.abc import Callable, Hashable
from typing import Any

from server.limits import IDLE_SECONDS
from server.singleton import R, Singleton

_ALL: "weakref.WeakSet[IdleSingleton[Any]]" = weakref.WeakSet()


class IdleSingleton(Singleton[R]):
    """A `Singleton` whose results are released after a time without a request; the next one creates them again.

    What still refers to a released result, such as a run that computes with it, goes on.

    Args:
        function: as of `Singleton`.
        clock: gives seconds.
    """

    def __init__(self, function: Callable[..., R], clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(function)
        self._clock = clock
        self._requested: dict[tuple[Hashable, ...], float] = {}
        _ALL.add(self)

    def __call__(self, *arguments: Hashable) -> R:
        with self._lock:
            self._requested[arguments] = self._clock()
        return super().__call__(*arguments)

    def release_idle(self, seconds: float = IDLE_SECONDS) -> int:
        """Release what was not requested for so long; returns how many results."""
        with self._lock:
            now = self._clock()
            idle = [
                arguments
                for arguments, last in self._requested.items()
                if now - last > seconds and arguments in self._results and self._results[arguments].exists
            ]
            for arguments in idle:
                del self._results[arguments], self._requested[arguments]
        return len(idle)


def release_all_idle() -> int:
    """Release the idle results of all such singletons; returns how many."""
    return sum(singleton.release_idle() for singleton in list(_ALL))


idle_singleton = IdleSingleton  # as a decorator
