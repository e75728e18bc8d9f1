"""Load the models when the server starts, and let each compute once."""

import asyncio
import gc
import logging
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager

from server import housekeeping, logs, process_memory
from server.backpressure import apply_backpressure
from server.health import readiness
from server.run_context import run_queue
from server.temporary_files import clear_abandoned

PATIENCE = 3.0  # seconds that loading the other models waits for the first page
POLL_SECONDS = 0.05  # between two checks for running visitors
SWITCH_SECONDS = 0.001  # after which a busy thread yields the interpreter to another one

Loads = Mapping[str, Callable[[], object]]  # name of a model -> loads it and lets it compute once, in this order


@asynccontextmanager
async def lifespan(loads: Loads, app: object) -> AsyncGenerator[None, None]:
    """Start the server's background tasks, and load its models in a thread so that it answers at once."""
    logs.start()
    process_memory.limit_malloc_arenas()
    readiness().expect(loads)
    threading.Thread(target=warm_up, args=(loads,), name="warm-up", daemon=True).start()
    tasks = [asyncio.create_task(task) for task in (housekeeping.run_housekeeping(), apply_backpressure(run_queue()))]
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
