"""Run coroutines in tests in their own thread, since the tests' thread may have an event loop, for the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

R = TypeVar("R")


def run_in_thread(coroutine: Coroutine[Any, Any, R]) -> R:
    """Run the coroutine in a new thread; return its result or raise its error."""
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(asyncio.run, coroutine).result()
