"""What the server does while the first visitor's browser still loads: read both models and let each compute once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

from pages.shared import housekeeping, logs
from pages.shared.health import readiness
from pages.shared.pace import keep_pace
from pages.shared.visits import turns

PATIENCE = 3.0  # seconds that the classifier waits for the first page
LOOK = 0.05  # seconds between two looks


@asynccontextmanager
async def lifespan(app: object) -> AsyncGenerator[None, None]:
    """Start warming up with the server, in a thread of its own, so that the server answers at once."""
    logs.start()
    housekeeping.settle_memory()
    threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
    chores = [asyncio.create_task(chore) for chore in (housekeeping.keep_house(), keep_pace(turns()))]
    try:
        yield
    finally:
        for chore in chores:
            chore.cancel()


def warm_up() -> None:
    """Load what pages need, the first page's part first. A visitor who comes earlier waits for the rest of it only.

    A broken installation is not reported to readers here: the page does, to whoever opens it.
    """
    with housekeeping.no_garbage():
        housekeeping.settle_threads()
        _make_ready("translator", _translate)
    _let_go_first()
    import pandas  # noqa: F401  # a quarter of a second that every page but the first one needs

    _make_ready("classifier", _classify)
    logs.event("ready" if readiness().ready else "not ready", **readiness().states())


def _let_go_first() -> None:
    """Let the first page be drawn, if somebody is waiting for it, before anything else is loaded."""
    until = time.monotonic() + PATIENCE
    while turns().running and time.monotonic() < until:
        time.sleep(LOOK)


def _make_ready(model: str, compute: Callable[[], object]) -> None:
    try:
        compute()
    except Exception:
        readiness().set(model, "broken")
        logs.LOG.error("broken", exc_info=True, extra={"fields": {"model": model}})
    else:
        readiness().set(model, "ready")


# Imported inside, since each visitor's run imports this file, and PyTorch takes a second.


def _translate() -> None:
    from model import DecodingOptions
    from pages.shared.service import load_service
    from views.controls import inputs

    load_service().trace(inputs.DEFAULT, DecodingOptions())


def _classify() -> None:
    from pages.picture.service import load_vision
    from views.controls import samples

    load_vision().trace(samples.picture(samples.NAMES[0]).image)
