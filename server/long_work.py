"""Long computations of pages: made once for everybody who asks, in steps between which others have their turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from server.recent import Recent, T
from server.streams import Streams


class HowFar(Protocol):
    """How far a computation is: `done` of `total` steps of about the same size."""

    done: int
    total: int


@dataclass(frozen=True, eq=False)
class Result:
    """The last step of a computation: what it found."""

    value: object


class LongWork:
    """Computations that say how far they are; safe to use from several threads.

    Args:
        finished: where the results go.
        turn: is held during a step.
        progress: entered by who waits for a result; gives a function to call with how many steps are done, of how many.
    """

    def __init__(
        self,
        finished: Recent,
        turn: threading.Lock,
        progress: Callable[[], AbstractContextManager[Callable[[int, int], None]]],
    ) -> None:
        self._streams: Streams[HowFar | Result] = Streams(finished, turn)
        self._progress = progress

    def result(self, key: Hashable, begin: Callable[[], Generator[HowFar, None, T]]) -> T:
        """What the work under `key` finds; the reader sees how far it is. `begin` starts it if nobody did yet."""
        with self._progress() as tell:
            for step in self._streams.follow(key, lambda: _to_the_end(begin())):
                if not isinstance(step, Result):
                    tell(step.done, step.total)
        return step.value


def _to_the_end(steps: Generator[HowFar, None, T]) -> Iterator[HowFar | Result]:
    yield Result((yield from steps))
