"""Objects that are created once per process and shared by all visitors.

`st.cache_resource` is not used for them: a message that any visitor can send clears Streamlit's caches for everybody.
"""

import functools
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

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
