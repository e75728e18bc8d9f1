"""Runs go no faster than the server can send what they show.

One thread takes in visitors and sends all messages, and shares the interpreter with the runs. When a whole class
arrives within seconds, the runs would leave it so little that hardly anything is sent. So while its rounds are slow, no
further run begins.
"""

import asyncio
import time
from collections.abc import Callable

from server.run_queue import Turns

BEAT = 0.05  # seconds between two looks
ROUNDS = 5  # of the thread that sends, timed at each look
SLOW = 0.01  # seconds a round; with 50 visitors one takes a tenth of that
TIMELY = 2  # looks in a row without slow rounds after which runs begin again


async def keep_pace(turns: Turns, clock: Callable[[], float] = time.monotonic) -> None:
    """Hold `turns` while the loop in which this runs goes round slowly, until it is cancelled."""
    timely = 0
    try:
        while True:
            await asyncio.sleep(BEAT)
            began = clock()
            for _ in range(ROUNDS if turns.running or turns.waiting else 0):
                await asyncio.sleep(0)
            slow = clock() - began > ROUNDS * SLOW
            timely = 0 if slow else timely + 1
            if slow or timely == TIMELY:
                turns.hold(slow)
    finally:
        turns.hold(False)
