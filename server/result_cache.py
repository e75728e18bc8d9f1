"""A cache of results, shared by all visitors: a result that several request at once is computed once."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, suppress
from typing import TypeVar

from server import metrics, run_context
from server.singleton import singleton

T = TypeVar("T")


@singleton
def compute_lock() -> threading.Lock:
    """The lock for computations of any model: several at once would slow each other down."""
    return threading.Lock()


_ALL: "weakref.WeakSet[ResultCache]" = weakref.WeakSet()


def clear_all() -> None:
    """Clear all caches. Called when the last visitor disconnects."""
    for cache in list(_ALL):
        cache.clear()


class ResultCache:
    """A least-recently-used cache, shared by all visitors. Safe to use from several threads.

    An evicted result is still returned as long as something else refers to it, such as a visitor's session.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._entries: OrderedDict[Hashable, object] = OrderedDict()
        self._pinned: dict[Hashable, object] = {}
        self._referenced: weakref.WeakValueDictionary[Hashable, object] = weakref.WeakValueDictionary()
        self._lock = threading.Lock()
        _ALL.add(self)

    def clear(self) -> None:
        """Evict everything that is not pinned."""
        with self._lock:
            self._entries.clear()

    def pin(self, key: Hashable) -> None:
        """Never evict the result under `key`, which must be cached: the next visitor starts with it.

        Raises:
            KeyError: it is not cached.
        """
        with self._lock:
            self._pinned[key] = self._entries[key]

    def get(self, key: Hashable):
        """The result under `key`, or None."""
        with self._lock:
            if key in self._pinned:
                return self._pinned[key]
            if key in self._entries:
                self._entries.move_to_end(key)
                return self._entries[key]
            return self._referenced.get(key)

    def put(self, key: Hashable, value) -> None:
        """Cache `value`; evict the least recently used result if the cache is full."""
        with self._lock:
            self._entries[key] = value
            self._entries.move_to_end(key)
            with suppress(TypeError):  # numbers and tuples allow no weak reference
                self._referenced[key] = value
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)

    def get_or_compute(self, key: Hashable, compute: Callable[[], T], lock: AbstractContextManager[object]) -> T:
        """The result under `key`; if there is none, `compute` makes it while `lock` is held."""
        source, result = "recent", self.get(key)
        if result is None:
            with lock, metrics.COMPUTING.time():
                result = self.get(key)  # another thread may have computed it meanwhile
                if result is None:
                    source, result = "computed", compute()
                    self.put(key, result)
            run_context.yield_slot()
        metrics.RESULTS.labels(source).inc()
        return result
