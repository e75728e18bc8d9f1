"""Coroutines in tests: run in a thread of their own, since the tests' own thread may have a loop, for the browser."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

R = TypeVar("R")


def run_elsewhere(coroutine: Coroutine[Any, Any, R]) -> R:
    """What the coroutine returns, or its error."""
    with ThreadPoolExecutor(1) as elsewhere:
        return elsewhere.submit(asyncio.run, coroutine).result()
