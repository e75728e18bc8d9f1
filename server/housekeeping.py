"""What the server does about memory and threads, so that both stay bounded however many visitors come and go."""

import asyncio
import ctypes
import gc
import itertools
import logging
from contextlib import suppress

from server import logs, metrics, result_cache, streamlit_internals
from server.download_store import finished_files
from server.prefetch import ahead
from server.run_context import turns

ARENAS = 2  # of the C library's allocator; by default each core may bring eight
SETTLE_SECONDS = 1.0
ROUND = 5  # settlings between two looks for visitors who are gone
FULL_ROUND = 12  # rounds between two looks for garbage in everything
BUSY_ROUND = 60  # the same while visitors wait for their turn, and would wait for such a look too

_ARENA_MAX = -8  # M_ARENA_MAX of glibc's mallopt


def settle_memory() -> None:
    """Let the threads of the many runs share a few pools of memory, where the C library is glibc."""
    _tell_glibc("mallopt", _ARENA_MAX, ARENAS)


async def keep_house() -> None:
    """Every few seconds: forget visitors who are not coming back, and hand memory that they used back.

    Looking for garbage among 200 visitors' sessions takes long. So whatever has outlived a second is settled, which
    Python then passes over; what of this has become garbage is found by a full look once a minute, if anything ran, or
    every five minutes while visitors wait.
    """
    people, runs, left, looked = 0, 0, False, 0
    for rounds in itertools.count(1):
        for _ in range(ROUND):
            await asyncio.sleep(SETTLE_SECONDS)
            gc.freeze()
        finished_files().let_go()
        before, people = people, forget_visitors()
        left_before, left = left, people < before
        if left and not people:
            ahead().drop()
            result_cache.forget_all()
        # once more a round later: what somebody who left held may be let go of by others only then
        due = rounds - looked >= (BUSY_ROUND if turns().waiting else FULL_ROUND) and metrics.runs() > runs
        if left or left_before or due:
            await asyncio.to_thread(hand_back)
            runs, looked = metrics.runs(), rounds


def forget_visitors() -> int:
    """`sessions_left`, or 0 where it cannot be known."""
    try:
        return streamlit_internals.sessions_left()
    except (AttributeError, RuntimeError):  # another version of Streamlit; its own way is slower, not wrong
        logs.event("sessions cannot be looked at", logging.WARNING)
        return 0


def hand_back() -> None:
    """Find garbage among all objects, the settled ones too, and give its memory back to the operating system."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _tell_glibc("malloc_trim", 0)


def _tell_glibc(function: str, *numbers: int) -> None:
    """Call a function of the C library's allocator; do nothing where that is not glibc's."""
    with suppress(OSError, AttributeError, TypeError):
        getattr(ctypes.CDLL(None), function)(*numbers)
