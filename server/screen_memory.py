"""What the open page of each visit refers to, inputs of its parts and makers of its files; released if memory is short.

A part of a page, or a file that is made on request, refers to whole traces. Streamlit stores it until the page is left,
so that evicting a result from its cache alone would free nothing.
"""

import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Generic, TypeVar

from server import streamlit_internals
from server.memory_budget import BudgetEntry, MemoryBudget, memory_budget

T = TypeVar("T")
REFILL_SECONDS = 20.0  # that a file's maker is waited for while the page runs again


class Retained(Generic[T]):
    """A value that is released when memory is short; `value` is None then."""

    def __init__(self, value: T) -> None:
        self.value: T | None = value


class ScreenMemory:
    """The retained values of one visit's open page. Safe to use from several threads.

    Args:
        session: the id of the visit; "" if no server runs.
    """

    def __init__(self, session: str = "", budget: MemoryBudget | None = None) -> None:
        self.session = session
        self._budget = budget or memory_budget()
        self._lock = threading.Lock()
        self._retained: weakref.WeakSet[Retained] = weakref.WeakSet()
        self._makers: dict[str, weakref.ref[Retained[Callable[[], bytes | str]]]] = {}
        self._refilled = threading.Condition(self._lock)
        self._entry = BudgetEntry(partial(_release, weakref.ref(self)))
        self._irreplaceable = BudgetEntry(None)
        weakref.finalize(self, self._budget.note_ended, [self._entry, self._irreplaceable])
        with _LOCK:
            _ALL.add(self)

    def retain(self, value: T) -> Retained[T]:
        """Retain a value for as long as something refers to the result, unless memory gets short."""
        retained = Retained(value)
        with self._lock:
            self._retained.add(retained)
        return retained

    def retain_maker(self, file: str, make: Callable[[], bytes | str]) -> Callable[[], bytes | str]:
        """A function that calls `make`. If memory was short, it runs the page again, which replaces `make`.

        Args:
            file: its name, unique within the page.
        """
        retained = self.retain(make)
        with self._lock:
            self._makers[file] = weakref.ref(retained)
            self._refilled.notify_all()
        return lambda: (retained.value or self._refill(file))()

    def _refill(self, file: str) -> Callable[[], bytes | str]:
        """The present maker of `file`; if there is none, run the page again and wait for it.

        Raises:
            TimeoutError: the page was left, or did not run in time.
        """
        with self._lock:
            if (make := self._maker(file)) is not None:
                return make
        streamlit_internals.rerun(self.session)
        with self._lock:
            if not self._refilled.wait_for(lambda: self._maker(file) is not None, REFILL_SECONDS):
                raise TimeoutError("The page that offers this file did not run again in time.")
            make = self._maker(file)
        assert make is not None
        return make

    def _maker(self, file: str) -> Callable[[], bytes | str] | None:
        retained = self._makers[file]() if file in self._makers else None
        return retained.value if retained else None

    def begin_page(self) -> None:
        """Release what the page before refers to; called when a run of a whole page begins.

        Streamlit's own references to it may be part of cycles, which are collected much later.
        """
        with self._lock:
            for each in self._retained:
                each.value = None
            self._makers = {}

    def charge(self, irreplaceable: object = None) -> None:
        """Count what is retained now; called at the end of a run.

        Args:
            irreplaceable: what the visit retains besides and cannot compute again, such as its own picture.
        """
        with self._lock:
            values = [each.value for each in self._retained]
            self._makers = {file: maker for file, maker in self._makers.items() if maker() is not None}
        self._budget.charge(self._entry, values)
        self._budget.charge(self._irreplaceable, irreplaceable)

    def release(self) -> None:
        """Release all values. A part that runs without its inputs runs its page again."""
        with self._lock:
            for each in self._retained:
                each.value = None
        self._budget.discount(self._entry)


def _release(screen: "weakref.ref[ScreenMemory]", entry: BudgetEntry) -> None:
    if (alive := screen()) is not None:
        alive.release()


_LOCK = threading.Lock()
_ALL: "weakref.WeakSet[ScreenMemory]" = weakref.WeakSet()


def release_disconnected() -> None:
    """Release the open pages of visitors whose socket is closed; who comes back gets the page by a new run."""
    with _LOCK:
        screens = list(_ALL)
    for screen in screens:
        if screen.session and not streamlit_internals.is_connected(screen.session):
            screen.release()
