"""Recent results, shared by all visitors, and one computation at a time: what two ask for is computed once."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from typing import TypeVar

from server import metrics, run_context
from server.singleton import process_wide

T = TypeVar("T")


@process_wide
def computing() -> threading.Lock:
    """The lock that lets one computation of any model run at a time: several at once would slow each other down."""
    return threading.Lock()


_ALL: "weakref.WeakSet[Recent]" = weakref.WeakSet()


def forget_all() -> None:
    """Let go of all recent results of this process: nobody is there who could ask for them soon."""
    for recent in list(_ALL):
        recent.clear()


class Recent:
    """The most recently used results, shared by all visitors. Safe to use from several threads.

    A result that had to give way is found as long as somebody still holds it, such as a visitor who looks at it.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, object] = OrderedDict()
        self._kept: dict[Hashable, object] = {}
        self._held: weakref.WeakValueDictionary[Hashable, object] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()
        _ALL.add(self)

    def clear(self) -> None:
        """Forget everything that nobody else holds and that is not to be kept."""
        with self._lock:
            self._entries.clear()

    def keep(self, key: Hashable) -> None:
        """Never let go of the result under `key`, which is there: it is what the next visitor begins with."""
        with self._lock:
            self._kept[key] = self._entries[key]

    def get(self, key: Hashable):
        """The result under `key`, or None."""
        with self._lock:
            if key in self._kept:
                return self._kept[key]
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
            return self._held.get(key)

    def put(self, key: Hashable, value) -> None:
        """Keep `value`; the one that was not used for longest gives way."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            with suppress(TypeError):  # numbers and tuples cannot be held this way
                self._held[key] = value
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def get_or_compute(self, key: Hashable, compute: Callable[[], T], turn: threading.Lock) -> T:
        """The result under `key`; where there is none, `compute` makes it when it is its `turn`."""
        source, result = "recent", self.get(key)
        if result is None:
            with turn, metrics.COMPUTING.time():
                result = self.get(key)  # somebody else may have asked for it meanwhile
                if result is None:
                    source, result = "computed", compute()
                    self.put(key, result)
            run_context.rotate()
        metrics.RESULTS.labels(source).inc()
        return result
