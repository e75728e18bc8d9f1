"""Resident memory of this process: how much it is, and return what is free to the operating system."""

import ctypes
import gc
import os
import threading
from contextlib import suppress
from pathlib import Path

from server.singleton import singleton

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
