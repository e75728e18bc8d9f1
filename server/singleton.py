"""What lives as long as the process: made once, shared by all visitors, out of reach of each of them.

`st.cache_resource` is no place for it: a message that any visitor can send empties Streamlit's caches for everybody.
"""

import functools
import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

R = TypeVar("R")


class ProcessWide(Generic[R]):
    """A function whose result is kept for each of its arguments. Safe to call from several threads.

    Whoever asks while a result is being made waits for it. What fails is not kept: the error goes to the caller, and
    the next call tries again, so that a server whose files were mended goes on without a restart.

    Args:
        function: makes the result; it must not call itself with the same arguments.
    """

    def __init__(self, function: Callable[..., R]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self._lock = threading.Lock()
        self._results: dict[tuple[Hashable, ...], _Result[R]] = {}

    def __call__(self, *arguments: Hashable) -> R:
        with self._lock:
            result = self._results.setdefault(arguments, _Result())
        if not result.made:
            with result.making:
                if not result.made:
                    result.value = self._function(*arguments)
                    result.made = True
        return result.value

    def made(self, *arguments: Hashable) -> bool:
        """Whether the result is there, so that nobody has to wait for it."""
        with self._lock:
            return arguments in self._results and self._results[arguments].made


class _Result(Generic[R]):
    """A place for one result; `making` is held while it is made."""

    value: R

    def __init__(self) -> None:
        self.making = threading.Lock()
        self.made = False


process_wide = ProcessWide  # as a decorator
