"""A cache of results, shared by all visitors: a result that several request at once is computed once."""

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from server import metrics, run_context
from server.memory_budget import BudgetEntry, MemoryBudget, memory_budget
from server.run_queue import Busy
from server.singleton import singleton
from server.work_lock import WorkLock

T = TypeVar("T")


@singleton
def compute_lock() -> WorkLock:
    """The lock for computations of any model: several at once would slow each other down."""
    return WorkLock()


def hanging() -> Busy:
    """The refusal of an input whose computation has lost the lock and has not ended: another one would hang too."""
    return Busy("The computation for this input makes no progress: please choose another input.")


_ALL: "weakref.WeakSet[ResultCache]" = weakref.WeakSet()


def clear_all() -> None:
    """Clear all caches. Called when the last visitor disconnects."""
    for cache in list(_ALL):
        cache.clear()


class ResultCache:
    """A least-recently-used cache, shared by all visitors. Safe to use from several threads.

    All caches of the process share one budget in bytes: beyond it, the least recently used result of any of them is
    evicted. An evicted result is still returned as long as something else refers to it.

    Args:
        size: results at most.
    """

    def __init__(self, size: int, budget: MemoryBudget | None = None) -> None:
        self._size = size
        self._budget = budget or memory_budget()
        self._entries: OrderedDict[Hashable, _CachedResult] = OrderedDict()
        self._pinned: dict[Hashable, object] = {}
        self._referenced: weakref.WeakValueDictionary[Hashable, object] = weakref.WeakValueDictionary()
        self._computing: set[Hashable] = set()
        self._lock = threading.Lock()
        weakref.finalize(self, _note_ended, self._budget, self._entries)
        _ALL.add(self)

    def clear(self) -> None:
        """Evict everything that is not pinned."""
        with self._lock:
            evicted = [result.entry for result in self._entries.values()]
            self._entries.clear()
        self._budget.remove(evicted)

    def pin(self, key: Hashable) -> None:
        """Never evict the result under `key`, which must be cached: the next visitor starts with it.

        Raises:
            KeyError: it is not cached.
        """
        with self._lock:
            self._pinned[key] = self._entries[key].value

    def get(self, key: Hashable):
        """The result under `key`, or None."""
        with self._lock:
            if key in self._pinned:
                return self._pinned[key]
            result = self._entries.get(key)
            if result is None:
                return self._referenced.get(key)
            self._entries.move_to_end(key)
        self._budget.touch(result.entry)
        return result.value

    def put(self, key: Hashable, value) -> None:
        """Cache `value`; evict the least recently used results if the cache or the budget is full."""
        result = _CachedResult(value, BudgetEntry(partial(_evict, weakref.ref(self), key)))
        evicted = []
        with self._lock:
            if key in self._entries:
                evicted.append(self._entries.pop(key).entry)
            self._entries[key] = result
            with suppress(TypeError):  # numbers and tuples allow no weak reference
                self._referenced[key] = value
            while len(self._entries) > self._size:
                evicted.append(self._entries.popitem(last=False)[1].entry)
        self._budget.remove(evicted)
        self._budget.charge(result.entry, value)

    def get_or_compute(self, key: Hashable, compute: Callable[[], T], lock: AbstractContextManager[object]) -> T:
        """The result under `key`; if there is none, `compute` makes it while `lock` is held.

        Raises:
            Busy: it is being computed by a run that makes no progress.
        """
        source, result = "recent", self.get(key)
        if result is None:
            with lock, metrics.COMPUTING.time():
                result = self.get(key)  # another thread may have computed it meanwhile
                if result is None:
                    source, result = "computed", self._compute(key, compute)
                    self.put(key, result)
            run_context.yield_slot()
        metrics.RESULTS.labels(source).inc()
        return result

    def _compute(self, key: Hashable, compute: Callable[[], T]) -> T:
        """Call `compute`, unless another thread does so, which then has lost the lock."""
        with self._lock:
            if key in self._computing:
                raise hanging()
            self._computing.add(key)
        try:
            return compute()
        finally:
            with self._lock:
                self._computing.discard(key)


@dataclass(frozen=True, eq=False)
class _CachedResult:
    value: object
    entry: BudgetEntry


def _evict(cache: "weakref.ref[ResultCache]", key: Hashable, entry: BudgetEntry) -> None:
    """Evict a result whose entry the budget has dropped."""
    if (alive := cache()) is not None:
        with alive._lock:
            if key in alive._entries and alive._entries[key].entry is entry:
                del alive._entries[key]


def _note_ended(budget: MemoryBudget, entries: "OrderedDict[Hashable, _CachedResult]") -> None:
    budget.note_ended([result.entry for result in entries.values()])
    entries.clear()
