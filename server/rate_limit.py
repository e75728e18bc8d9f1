"""A limit of how often something may happen: a burst at once, and then so many per second."""

import time
from collections.abc import Callable


class RateLimit:
    """A token bucket: a burst of messages at once, and then so many per second.

    Args:
        clock: seconds.

    Attributes:
        delayed: messages that had to wait since the bucket was last full.
    """

    def __init__(self, burst: int, per_second: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.delayed = 0
        self._burst, self._per_second, self._clock = burst, per_second, clock
        self._left, self._updated = float(burst), clock()

    def take(self) -> float:
        """Count a message; the seconds that it must wait."""
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._updated) * self._per_second)
        self._updated = now
        if self._left == self._burst:
            self.delayed = 0
        self._left -= 1
        self.delayed += self._left < 0
        return max(0.0, -self._left / self._per_second)
