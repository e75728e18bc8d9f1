"""One budget in bytes for everything that this process retains for its visitors: results, and what open pages refer to.

Weights, code and Streamlit's own state are not part of it. What the budget evicts is computed again when requested.
"""

import ctypes
import functools
import gc
import os
import threading
import types
import weakref
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import partial
from pathlib import Path
from sys import getsizeof
from typing import Any, Generic, TypeVar

from PIL.Image import Image

from server import metrics, streamlit_internals
from server.limits import LEAST_RESULT_BYTES, RESIDENT_BYTES, RESULT_BYTES
from server.singleton import singleton

SHARED_BYTES = 4096  # from which on a buffer, a text or a picture is counted once, however many entries refer to it
MAX_OBJECTS = 100_000  # of one entry that are looked at; no result of this app has a tenth of it
# Classes of entries: below so many bytes, and the share of the limit beyond which a class is evicted first. A
# translation takes longer to compute than the trace of a picture, which has two hundred times its size.
SIZE_CLASSES = ((256_000, 1 / 8), (6_000_000, 5 / 8), (float("inf"), 1 / 4))
_SMALL = (str, bytes, int, float, types.NoneType)  # kinds of which a result has hundreds
_PIXEL_BYTES = {"1": 1, "L": 1, "P": 1}  # of a picture in memory, by its mode; 4 in any other


class Buffer:
    """What holds an object's data, such as the array that views share.

    Args:
        id: of the object; another one may have the same later.
        holder: the object; it is not retained.
    """

    def __init__(self, id: int, size: int, holder: object) -> None:
        self.id, self.size = id, size
        self.references = 0  # entries that refer to it
        try:
            self._holder: Callable[[], object] | None = weakref.ref(holder)
        except TypeError:  # texts and bytes allow no weak reference
            self._holder = None

    def is_same(self, other: "Buffer") -> bool:
        """Whether a buffer with the same id is this one."""
        if self._holder is None or other._holder is None:
            return self.size == other.size
        return self._holder() is other._holder() is not None


class BudgetEntry:
    """What is retained together and evicted together.

    Args:
        evict: called with the entry, without any lock, when memory is short; gives up the owner's references. None for
            what cannot be computed again: it counts, so that less remains for the others.
    """

    def __init__(self, evict: "Callable[[BudgetEntry], None] | None") -> None:
        self.evict = evict
        self.removed = False
        self.own = 0  # bytes of small objects
        self.buffers: list[Buffer] = []
        self.size = 0  # bytes, with those of buffers that other entries refer to as well

    def set_content(self, own: int, buffers: list[Buffer]) -> None:
        """Set what it retains."""
        self.own, self.buffers = own, buffers
        self.size = own + sum(buffer.size for buffer in buffers)


class MemoryBudget:
    """The entries, least recently used first, and their size in bytes. Safe to use from several threads.

    A buffer that several entries refer to counts once. The newest entry is never evicted by its own size. Entries of
    one size evict one another first, see `SIZE_CLASSES`.

    Args:
        limit: bytes.
        room: given the size of all entries, the bytes that they may take at this moment if that is less than `limit`.
    """

    def __init__(self, limit: int = RESULT_BYTES, room: Callable[[int], int] | None = None) -> None:
        self.limit, self._room = limit, room
        self._lock = threading.Lock()
        self._queues: tuple[OrderedDict[BudgetEntry, None], ...] = tuple(OrderedDict() for _ in SIZE_CLASSES)
        self._newest: BudgetEntry | None = None
        self._buffers: dict[int, Buffer] = {}
        self._bytes = 0
        # Owners end in a garbage collection, which may begin while the lock is held: they are only noted here.
        self._ended: deque[BudgetEntry] = deque()

    @property
    def bytes(self) -> int:
        """The size of all entries."""
        with self._lock:
            self._remove_ended()
            return self._bytes

    def charge(self, entry: BudgetEntry, content: object) -> None:
        """Count `content` as what `entry` retains, as the most recently used, and evict others beyond the limit."""
        own, buffers = measure(content)
        with self._lock:
            self._remove_ended()
            if entry.removed:
                return
            self._discount(entry)
            entry.set_content(own, [self._known(buffer) for buffer in buffers.values()])
            self._bytes += own
            for buffer in entry.buffers:
                self._bytes += 0 if buffer.references else buffer.size
                buffer.references += 1
            if entry.evict is not None:
                self._queue(entry.size)[entry] = None
                self._newest = entry
            before = self._bytes
            evicted = self._evict(self.limit if self._room is None else min(self.limit, self._room(before)))
            freed = before - self._bytes
        for oldest in evicted:
            assert oldest.evict is not None
            oldest.evict(oldest)
        memory_growth().expect_free(freed)
        metrics.EVICTED.inc(len(evicted))

    def _queue(self, size: int) -> OrderedDict[BudgetEntry, None]:
        """The entries of the same class as one of `size` bytes, least recently used first."""
        return self._queues[sum(size >= below for below, _ in SIZE_CLASSES)]

    def _evict(self, limit: int) -> list[BudgetEntry]:
        """Discount the least recently used entries, never the newest, until all take `limit` bytes at most."""
        evicted: list[BudgetEntry] = []
        if self._bytes <= limit:
            return evicted
        beyond_share = [(queue, share * limit) for queue, (_, share) in zip(self._queues, SIZE_CLASSES, strict=True)]
        for queue, least in (*beyond_share, *((queue, 0.0) for queue in reversed(self._queues))):
            size = sum(entry.size for entry in queue)
            for oldest in list(queue):
                if self._bytes <= limit or size <= least:
                    break
                if oldest is not self._newest:
                    size -= oldest.size
                    self._discount(oldest)
                    evicted.append(oldest)
        return evicted

    def touch(self, entry: BudgetEntry) -> None:
        """Make an entry the most recently used one."""
        with self._lock:
            for queue in self._queues:
                if entry in queue:
                    queue.move_to_end(entry)
                    self._newest = entry

    def discount(self, entry: BudgetEntry) -> None:
        """Count an entry no longer, until it is charged again."""
        with self._lock:
            self._discount(entry)

    def remove(self, entries: Iterable[BudgetEntry]) -> None:
        """Count these entries no longer, for good."""
        with self._lock:
            for entry in entries:
                entry.removed = True
                self._discount(entry)

    def note_ended(self, entries: Iterable[BudgetEntry]) -> None:
        """Remove these entries soon; for finalizers."""
        self._ended.extend(entries)

    def _remove_ended(self) -> None:
        while self._ended:
            entry = self._ended.popleft()
            entry.removed = True
            self._discount(entry)

    def _discount(self, entry: BudgetEntry) -> None:
        for queue in self._queues:
            queue.pop(entry, None)
        self._bytes -= entry.own
        for buffer in entry.buffers:
            buffer.references -= 1
            if not buffer.references:
                self._bytes -= buffer.size
                if self._buffers.get(buffer.id) is buffer:
                    del self._buffers[buffer.id]
        entry.set_content(0, [])

    def _known(self, buffer: Buffer) -> Buffer:
        """The same buffer as other entries refer to, or `buffer`.

        What an entry refers to may have been released since, and its id given to another buffer.
        """
        known = self._buffers.get(buffer.id)
        if known is None or not known.is_same(buffer):
            known = self._buffers[buffer.id] = buffer
        return known


def measure(content: object) -> tuple[int, dict[int, Buffer]]:
    """The bytes of small objects in `content`, and its large buffers by id.

    Containers, frozen dataclasses and functions are searched. Any other object counts with its own size only: a network
    or a session belongs to somebody else.
    """
    pending, own = [content], 0
    seen: set[int] = set()
    buffers: dict[int, Buffer] = {}
    while pending and len(seen) < MAX_OBJECTS:
        each = pending.pop()
        if id(each) in seen or isinstance(each, type | types.ModuleType):
            continue
        seen.add(id(each))
        if isinstance(each, _SMALL) and getsizeof(each) < SHARED_BYTES:
            own += getsizeof(each)
            continue
        buffer = _buffer(each)
        if buffer is None:
            own += getsizeof(each, 0)
            pending.extend(_parts(each))
        elif buffer.size >= SHARED_BYTES:
            buffers[buffer.id] = buffer
        else:
            own += buffer.size
    return own, buffers


def _buffer(each: Any) -> Buffer | None:
    """What holds an object's data; None if it is no buffer."""
    if isinstance(each, str | bytes | bytearray):
        return Buffer(id(each), getsizeof(each), each)
    if isinstance(size := getattr(each, "nbytes", None), int):
        if hasattr(each, "untyped_storage"):  # a tensor
            storage = each.untyped_storage()
            return Buffer(storage.data_ptr(), storage.nbytes(), each)
        while isinstance(inner := getattr(getattr(each, "base", None), "nbytes", None), int):
            each, size = each.base, max(size, inner)
            if hasattr(each, "untyped_storage"):
                return _buffer(each)
        return Buffer(id(each), size, each)
    if isinstance(each, Image):
        width, height = each.size
        return Buffer(id(each), width * height * _PIXEL_BYTES.get(each.mode, 4), each)
    return None


def _parts(each: Any) -> Iterable[object]:
    """What an object refers to, if that is retained with it."""
    if isinstance(each, list | tuple | set | frozenset | deque):
        return each
    if isinstance(each, dict):
        return [*each.keys(), *each.values()]
    if isinstance(each, types.FunctionType):
        return [*_cell_contents(each), *(each.__defaults__ or ()), *(each.__kwdefaults__ or {}).values()]
    if isinstance(each, functools.partial):
        return [each.func, *each.args, *each.keywords.values()]
    if isinstance(each, types.MethodType):
        return [each.__self__, each.__func__]
    if getattr(getattr(type(each), "__dataclass_params__", None), "frozen", False):
        return vars(each).values()
    return ()


def _cell_contents(function: types.FunctionType) -> Iterable[object]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not yet assigned
            continue


def _room(retained: int) -> int:
    """The bytes for results beside everything else in this process, of which they take `retained` now."""
    return max(LEAST_RESULT_BYTES, RESIDENT_BYTES - (resident_bytes() - retained))


@singleton
def memory_budget() -> MemoryBudget:
    """The budget of this process."""
    budget = MemoryBudget(room=_room)
    metrics.RETAINED.set_function(lambda: budget.bytes)
    return budget


# Resident memory of this process: how much it is, and return what is free to the operating system.

ARENAS = 2  # of the C library's allocator; by default each core may bring eight
# Growth of the resident memory after which the allocator returns what is free: evicted results leave holes that new
# ones do not fill. After the second one, garbage is collected too.
TRIM_BYTES, COLLECT_BYTES = 8_000_000, 40_000_000

_ARENA_MAX = -8  # M_ARENA_MAX of glibc's mallopt


def limit_malloc_arenas() -> None:
    """Make all threads share a few memory arenas, if the C library is glibc."""
    _call_glibc("mallopt", _ARENA_MAX, ARENAS)


class MemoryGrowth:
    """Returns memory when the process has grown. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # not waited for: who holds it returns the memory
        self._trimmed = 0  # resident bytes after memory was returned last
        self._collected = 0  # after garbage was collected last, without the results that were retained then

    def trim(self) -> None:
        """Return free memory if the process has grown by `TRIM_BYTES`.

        Runs call it as soon as they have released what they needed in between: a second later there may be more than
        a hundred megabytes of it.
        """
        self._trim(resident_bytes())

    def expect_free(self, size: int) -> None:
        """Note that so many bytes were released, which is the same as if the process had grown by them."""
        self._trimmed = max(0, self._trimmed - size)

    def limit(self, retained: int = 0) -> None:
        """Return free memory, and collect garbage, if the process has grown by `TRIM_BYTES` or `COLLECT_BYTES`.

        Args:
            retained: bytes of results that the process refers to. Growth by these is no garbage: a collection, which
                stops all threads for some tenths of a second, would find none.
        """
        resident = resident_bytes()
        if self._collected and resident - retained > self._collected + COLLECT_BYTES:
            free_memory()
            self._trimmed = resident_bytes()
            self._collected = max(1, self._trimmed - retained)
        else:
            self._trim(resident)

    def _trim(self, resident: int) -> None:
        if resident > self._trimmed + TRIM_BYTES and self._lock.acquire(blocking=False):
            try:
                _call_glibc("malloc_trim", 0)
                self._trimmed = resident_bytes()
                self._collected = self._collected or self._trimmed
            finally:
                self._lock.release()


@singleton
def memory_growth() -> MemoryGrowth:
    """The growth of this process."""
    return MemoryGrowth()


def resident_bytes() -> int:
    """Resident memory of this process; 0 where the system does not tell."""
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return 0


def free_memory() -> None:
    """Collect garbage among all objects, frozen ones included, and return its memory to the operating system."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _call_glibc("malloc_trim", 0)


def _call_glibc(function: str, *numbers: int) -> None:
    """Call a function of the C library's allocator; do nothing if that is not glibc."""
    with suppress(OSError, AttributeError, TypeError):
        getattr(ctypes.CDLL(None), function)(*numbers)


# What the open page of each visit refers to, inputs of its parts and makers of its files; released if memory is short.
#
# A part of a page, or a file that is made on request, refers to whole traces. Streamlit stores it until the page is
# left, so that evicting a result from its cache alone would free nothing.

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
        """A function that waits for the visit's runs, then calls the latest maker of `file`, which may be `make`.

        A file pressed just after a setting is then of what that setting shows, however late its run begins, unless the
        setting is part of the file's name: that one is of the former setting, as it says. If memory was short, the page
        runs again.

        Args:
            file: its name, unique within the page.
        """
        retained = self.retain(make)
        with self._lock:
            self._makers[file] = weakref.ref(retained)
            self._refilled.notify_all()

        def make_latest() -> bytes | str:
            streamlit_internals.wait_for_runs(self.session, REFILL_SECONDS)
            with self._lock:
                latest = self._maker(file)
            return (latest or retained.value or self._refill(file))()

        return make_latest

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
