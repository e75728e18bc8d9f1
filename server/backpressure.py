"""Backpressure: start no run while the event loop is behind.

The event loop's thread accepts visitors, sends all messages and shares the interpreter with the runs. When a whole
class arrives within seconds, the runs would leave it too little time to send messages.
"""

import asyncio
import time
from collections.abc import Callable

from server.run_queue import RunQueue

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
