"""What the server does while the first visitor's browser still loads: read the translator and translate once."""

from __future__ import annotations

import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


@asynccontextmanager
async def lifespan(app: object) -> AsyncGenerator[None, None]:
    """Start warming up with the server, in a thread of its own, so that the server answers at once."""
    threading.Thread(target=warm_up, name="warm-up", daemon=True).start()
    yield


def warm_up() -> None:
    """Load what the first page needs. A visitor who comes earlier waits for the rest of it only.

    A broken installation is not reported here: the page does, to whoever opens it.
    """
    # Imported here, since each visitor's run imports this file, and PyTorch takes a second.
    from model import CheckpointError, DecodingOptions
    from pages.shared.service import load_service
    from views import inputs

    try:
        load_service().trace(inputs.DEFAULT, DecodingOptions())
    except CheckpointError:
        return
