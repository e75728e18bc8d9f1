"""Objects that are created on request, shared by all visitors, and released when nobody has requested them for a while.

For networks of single parts: a part requests its network at every run, so that one whose part nobody has open is not
requested any more.
"""

import functools
import threading
import time
import weakref
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from server.limits import IDLE_SECONDS

# Objects that are created once per process and shared by all visitors.
#
# `st.cache_resource` is not used for them: a message that any visitor can send clears Streamlit's caches for everybody.

R = TypeVar("R")


class Singleton(Generic[R]):
    """A function whose result is stored for each combination of arguments. Safe to call from several threads.

    Callers wait while another thread creates the result. An error is not stored but raised, and the next call tries
    again, so that a server whose files were fixed needs no restart.

    Args:
        function: creates the result; it must not call itself with the same arguments.
    """

    def __init__(self, function: Callable[..., R]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._lock = threading.Lock()
        self._results: dict[tuple[Hashable, ...], _Result[R]] = {}

    def __call__(self, *arguments: Hashable) -> R:
        with self._lock:
            result = self._results.setdefault(arguments, _Result())
        if not result.exists:
            with result.lock:
                if not result.exists:
                    result.value = self._function(*arguments)
                    result.exists = True
        return result.value

    def is_ready(self, *arguments: Hashable) -> bool:
        """Whether the result exists, so that a call would not wait."""
        with self._lock:
            return arguments in self._results and self._results[arguments].exists


class _Result(Generic[R]):
    """Storage for one result; `lock` is held while it is created."""

    value: R

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.exists = False


singleton = Singleton  # as a decorator


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
