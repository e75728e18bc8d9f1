"""Keep the server's memory bounded however many visitors come and go."""

import asyncio
import gc
import itertools
import logging

from server import logs, metrics, result_cache, streamlit_internals
from server.download_store import download_store
from server.idle_singleton import release_all_idle
from server.memory_budget import memory_budget
from server.prefetch import prefetcher
from server.process_memory import free_memory, memory_growth
from server.run_context import run_queue
from server.screen_memory import release_disconnected

FREEZE_SECONDS = 1.0
FREEZES_PER_ROUND = 5  # a round ends with a check for expired sessions
COLLECT_ROUNDS = 12  # rounds between two full garbage collections
BUSY_COLLECT_ROUNDS = 60  # the same while visitors wait, who would wait for the collection too


async def run_housekeeping() -> None:
    """Every few seconds: drop expired sessions, downloads and idle networks, free memory, and log what was omitted.

    A garbage collection over 200 visitors' sessions takes long. So objects that have outlived a second are frozen,
    which Python then skips; garbage among them is found by a full collection once a minute, if anything ran, or every
    five minutes while visitors wait.
    """
    sessions, runs, left, collected = 0, 0, False, 0
    for rounds in itertools.count(1):
        for _ in range(FREEZES_PER_ROUND):
            await asyncio.sleep(FREEZE_SECONDS)
            gc.freeze()
            await asyncio.to_thread(memory_growth().limit, memory_budget().bytes)
        download_store().evict()
        logs.write_omitted()
        release_disconnected()
        released = release_all_idle()
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
        if left or left_before or released or due:
            await asyncio.to_thread(free_memory)
            runs, collected = metrics.runs(), rounds


def expire_sessions() -> int:
    """Drop expired sessions; the number that is left, or 0 if it is unknown."""
    try:
        return streamlit_internals.expire_sessions()
    except (AttributeError, RuntimeError):  # another version of Streamlit, which then drops them itself, later
        logs.event("sessions cannot be looked at", logging.WARNING)
        return 0
