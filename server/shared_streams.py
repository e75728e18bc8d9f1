"""Answers and long work that come step by step, made once for everybody who follows them."""

import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from server import metrics, run_context
from server.limits import SLICE_SECONDS
from server.result_cache import Recent

T = TypeVar("T")


class HowFar(Protocol):
    """How far a computation is: `done` of `total` steps of about the same size."""

    done: int
    total: int


@dataclass(frozen=True, eq=False)
class Result:
    """The last step of a computation: what it found."""

    value: object


class Steps(Generic[T]):
    """The steps of one computation. Safe to follow from several threads.

    Whoever needs a step that is not there yet has `source` make it while `turn` is held, and as many more as a slice of
    time allows; so the rest is made even if the one who began leaves. Between two slices others have their turn.
    """

    def __init__(self, source: Iterator[T], turn: threading.Lock, slice_seconds: float = SLICE_SECONDS) -> None:
        self.made: list[T] = []
        self.followers = 0  # kept by `Streams`
        self._source, self._turn, self._slice = source, turn, slice_seconds
        self._error: Exception | None = None

    def follow(self) -> Iterator[T]:
        """All steps from the first on; nothing is held while one is looked at."""
        place = 0
        while True:
            while place < len(self.made):
                place += 1
                yield self.made[place - 1]
            run_context.rotate()
            with self._turn, metrics.COMPUTING.time():
                if place == len(self.made) and not self._make():
                    return

    def _make(self) -> bool:
        """Make steps for a slice of time, at least one. False if there are no more."""
        if self._error is not None:
            raise self._error
        known, until = len(self.made), time.monotonic() + self._slice
        try:
            for step in self._source:
                self.made.append(step)
                if time.monotonic() >= until:
                    break
        except Exception as error:
            self._error = error
            raise
        return len(self.made) > known


class Streams(Generic[T]):
    """What is being made at the moment, by what was asked. Safe to use from several threads.

    Args:
        finished: where the steps go, as a tuple, once all are made.
        turn: is held while steps are made.
    """

    def __init__(self, finished: Recent, turn: threading.Lock) -> None:
        self._finished, self._turn = finished, turn
        self._going: dict[Hashable, Steps[T]] = {}
        self._lock = threading.Lock()

    def follow(self, key: Hashable, begin: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The steps under `key`, each soon after it is there; `begin` starts what makes them if nothing does yet."""
        with self._lock:
            known = self._finished.get(key)
            steps = self._going.get(key)
            source = "recent" if known is not None or steps is not None else "computed"
            metrics.RESULTS.labels(source).inc()
            if known is None:
                if steps is None:
                    steps = self._going[key] = Steps(begin(), self._turn)
                steps.followers += 1
        if known is not None:
            yield from known
            return
        try:
            yield from steps.follow()
            self._finished.put(key, tuple(steps.made))
        finally:
            with self._lock:
                steps.followers -= 1
                if not steps.followers:
                    del self._going[key]

    def result(
        self,
        key: Hashable,
        begin: Callable[[], Generator[HowFar, None, T]],
        progress: Callable[[], AbstractContextManager[Callable[[int, int], None]]],
    ) -> T:
        """What the work under `key` finds; the reader sees how far it is. `begin` starts it if nobody did yet.

        Args:
            progress: entered while the result is waited for; gives a function to call with how many steps are done,
                of how many.
        """
        with progress() as tell:
            for step in self.steps(key, begin):
                if not isinstance(step, Result):
                    tell(step.done, step.total)
        return step.value

    def steps(self, key: Hashable, begin: Callable[[], Generator[HowFar, None, T]]) -> Iterator[HowFar | Result]:
        """How far that work is, step by step, and in the end what it found."""
        return self.follow(key, lambda: _to_the_end(begin()))


def _to_the_end(steps: Generator[HowFar, None, T]) -> Iterator[HowFar | Result]:
    yield Result((yield from steps))
