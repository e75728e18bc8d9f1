"""What the server does while the first visitor's browser still loads: read the models and let each compute once."""

import asyncio
import gc
import sys
import threading
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager

from server import housekeeping, logs
from server.backpressure import keep_pace
from server.health import readiness
from server.run_context import turns

PATIENCE = 3.0  # seconds that the classifier waits for the first page
LOOK = 0.05  # seconds between two looks
SWITCH_SECONDS = 0.001  # how long a busy thread keeps the interpreter while another one asks for it

Loads = Mapping[str, Callable[[], object]]  # name of a model -> loads it and lets it compute once, in this order


@asynccontextmanager
async def lifespan(loads: Loads, app: object) -> AsyncGenerator[None, None]:
    """What surrounds the life of the server: its chores, and the models that are loaded when it starts.

    A thread of its own loads them, so that the server answers at once.
    """
    logs.start()
    housekeeping.settle_memory()
    readiness().expect(loads)
    threading.Thread(target=warm_up, args=(loads,), name="warm-up", daemon=True).start()
    chores = [asyncio.create_task(chore) for chore in (housekeeping.keep_house(), keep_pace(turns()))]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()


def warm_up(loads: Loads) -> None:
    """Load what pages need, the first page's part first. A visitor who comes earlier waits for the rest of it only.

    A broken installation is not reported to readers here: the page does, to whoever opens it.
    """
    readiness().expect(loads)
    first, *others = loads
    gc.disable()  # what is made now stays, and there is a lot of it
    sys.setswitchinterval(SWITCH_SECONDS)  # before anything computes
    _make_ready(first, loads[first])
    gc.freeze()
    gc.enable()
    # The first page is drawn, if somebody is waiting for it, before anything else is loaded.
    until = time.monotonic() + PATIENCE
    while turns().running and time.monotonic() < until:
        time.sleep(LOOK)
    for model in others:
        _make_ready(model, loads[model])
    logs.event("ready" if readiness().ready else "not ready", **readiness().states())


def _make_ready(model: str, compute: Callable[[], object]) -> None:
    try:
        compute()
    except Exception:
        readiness().set(model, "broken")
        logs.LOG.error("broken", exc_info=True, extra={"fields": {"model": model}})
    else:
        readiness().set(model, "ready")
