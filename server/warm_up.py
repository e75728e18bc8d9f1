"""Load the models when the server starts, and let each compute once."""

import asyncio
import gc
import itertools
import logging
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager

from server import logs, metrics, result_cache, streamlit_internals
from server.download_store import download_store
from server.health import readiness
from server.memory_budget import free_memory, limit_malloc_arenas, memory_budget, memory_growth, release_disconnected
from server.prefetch import prefetcher
from server.run_context import run_queue
from server.run_queue import RunQueue
from server.singleton import release_all_idle
from server.temporary_files import clear_abandoned

PATIENCE = 3.0  # seconds that loading the other models waits for the first page
POLL_SECONDS = 0.05  # between two checks for running visitors
SWITCH_SECONDS = 0.001  # after which a busy thread yields the interpreter to another one

Loads = Mapping[str, Callable[[], object]]  # name of a model -> loads it and lets it compute once, in this order


@asynccontextmanager
async def lifespan(loads: Loads, app: object) -> AsyncGenerator[None, None]:
    """Start the server's background tasks, and load its models in a thread so that it answers at once."""
    logs.start()
    limit_malloc_arenas()
    readiness().expect(loads)
    threading.Thread(target=warm_up, args=(loads,), name="warm-up", daemon=True).start()
    tasks = [asyncio.create_task(task) for task in (run_housekeeping(), apply_backpressure(run_queue()))]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()


def warm_up(loads: Loads) -> None:
    """Load what pages need, the first page's model first.

    A broken installation is only logged here; the page reports it to its visitors.
    """
    readiness().expect(loads)
    first, *others = loads
    gc.disable()  # many objects are created now, and they stay
    sys.setswitchinterval(SWITCH_SECONDS)  # before anything computes
    _make_ready(first, loads[first])
    gc.freeze()
    gc.enable()
    # The first page is rendered, if a visitor waits for it, before anything else is loaded.
    until = time.monotonic() + PATIENCE
    while run_queue().running and time.monotonic() < until:
        time.sleep(POLL_SECONDS)
    clear_abandoned()
    for model in others:
        _make_ready(model, loads[model])
    logs.event("ready" if readiness().ready else "not ready", logging.INFO, **readiness().states())


def _make_ready(model: str, compute: Callable[[], object]) -> None:
    try:
        compute()
    except Exception:
        readiness().set(model, "broken")
        logs.LOG.error("broken", exc_info=True, extra={"fields": {"model": model}})
    else:
        readiness().set(model, "ready")


# Backpressure: start no run while the event loop is behind.
#
# The event loop's thread accepts visitors, sends all messages and shares the interpreter with the runs. When a whole
# class arrives within seconds, the runs would leave it too little time to send messages.

INTERVAL = 0.05  # seconds between two checks
ITERATIONS = 5  # of the event loop, timed at each check
SLOW_ITERATION = 0.01  # seconds; with 50 visitors an iteration takes a tenth of that
FAST_CHECKS = 2  # checks in a row without slow iterations after which runs start again


async def apply_backpressure(queue: RunQueue, clock: Callable[[], float] = time.monotonic) -> None:
    """Pause `queue` while the event loop in which this runs is slow, until this is cancelled."""
    fast_checks = 0
    try:
        while True:
            await asyncio.sleep(INTERVAL)
            began = clock()
            for _ in range(ITERATIONS if queue.running or queue.waiting else 0):
                await asyncio.sleep(0)
            slow = clock() - began > ITERATIONS * SLOW_ITERATION
            fast_checks = 0 if slow else fast_checks + 1
            if slow or fast_checks == FAST_CHECKS:
                queue.pause(slow)
    finally:
        queue.pause(False)


# Keep the server's memory bounded however many visitors come and go.

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
