"""Keep the server's memory bounded however many visitors come and go."""

import asyncio
import ctypes
import gc
import itertools
import logging
import os
from contextlib import suppress
from pathlib import Path

from server import logs, metrics, result_cache, streamlit_internals
from server.download_store import download_store
from server.prefetch import prefetcher
from server.run_context import run_queue
from server.screen_memory import release_disconnected

ARENAS = 2  # of the C library's allocator; by default each core may bring eight
FREEZE_SECONDS = 1.0
FREEZES_PER_ROUND = 5  # a round ends with a check for expired sessions
COLLECT_ROUNDS = 12  # rounds between two full garbage collections
# Growth of the resident memory after which the allocator returns what is free: evicted results leave holes that new
# ones do not fill. After the second one, garbage is collected too.
TRIM_BYTES, COLLECT_BYTES = 16_000_000, 40_000_000
BUSY_COLLECT_ROUNDS = 60  # the same while visitors wait, who would wait for the collection too

_ARENA_MAX = -8  # M_ARENA_MAX of glibc's mallopt


def limit_malloc_arenas() -> None:
    """Make all threads share a few memory arenas, if the C library is glibc."""
    _call_glibc("mallopt", _ARENA_MAX, ARENAS)


async def run_housekeeping() -> None:
    """Every few seconds: drop expired sessions and downloads, free their memory, and log what was omitted from the log.

    A garbage collection over 200 visitors' sessions takes long. So objects that have outlived a second are frozen,
    which Python then skips; garbage among them is found by a full collection once a minute, if anything ran, or every
    five minutes while visitors wait.
    """
    sessions, runs, left, collected, growth = 0, 0, False, 0, MemoryGrowth()
    for rounds in itertools.count(1):
        for _ in range(FREEZES_PER_ROUND):
            await asyncio.sleep(FREEZE_SECONDS)
            gc.freeze()
            await asyncio.to_thread(growth.limit)
        download_store().evict()
        logs.write_omitted()
        release_disconnected()
        before, sessions = sessions, expire_sessions()
        left_before, left = left, sessions < before
        if left and not sessions:
            prefetcher().cancel()
            result_cache.clear_all()
        # also in the next round: some references to objects of a session that ended are released only then
        due = (
            rounds - collected >= (BUSY_COLLECT_ROUNDS if run_queue().waiting else COLLECT_ROUNDS)
            and metrics.runs() > runs
        )
        if left or left_before or due:
            await asyncio.to_thread(free_memory)
            runs, collected = metrics.runs(), rounds


def expire_sessions() -> int:
    """Drop expired sessions; the number that is left, or 0 if it is unknown."""
    try:
        return streamlit_internals.expire_sessions()
    except (AttributeError, RuntimeError):  # another version of Streamlit, which then drops them itself, later
        logs.event("sessions cannot be looked at", logging.WARNING)
        return 0


class MemoryGrowth:
    """Returns memory when the process has grown, without waiting for the next round."""

    def __init__(self) -> None:
        self._trimmed = 0  # resident bytes after memory was returned last
        self._collected = 0  # and after garbage was collected last

    def limit(self) -> None:
        """Return free memory, and collect garbage, if the process has grown by `TRIM_BYTES` or `COLLECT_BYTES`."""
        resident = resident_bytes()
        if self._collected and resident > self._collected + COLLECT_BYTES:
            free_memory()
            self._trimmed = self._collected = resident_bytes()
        elif resident > self._trimmed + TRIM_BYTES:
            _call_glibc("malloc_trim", 0)
            self._trimmed = resident_bytes()
            self._collected = self._collected or self._trimmed


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
