"""Computations that yield steps, executed once for all visitors who follow them."""

import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from server import metrics, run_context
from server.limits import SLICE_SECONDS
from server.result_cache import ResultCache, hanging

T = TypeVar("T")
R = TypeVar("R")


class StepCount(Protocol):
    """The progress of a computation: `done` of `total` steps of about the same size."""

    @property
    def done(self) -> int: ...

    @property
    def total(self) -> int: ...


@dataclass(frozen=True, eq=False)
class FinalValue(Generic[R]):
    """The last step of a computation: its result."""

    value: R


class SharedSteps(Generic[T]):
    """The steps of one computation. Safe to follow from several threads.

    A follower that needs a step which does not exist yet computes it from `source` while it holds `lock`, and as many
    more as a slice of time allows. So the rest is computed even if the first follower leaves. Between two slices other
    computations can run.
    """

    def __init__(
        self, source: Iterator[T], lock: AbstractContextManager[object], slice_seconds: float = SLICE_SECONDS
    ) -> None:
        self.steps: list[T] = []
        self.followers = 0  # counted by `SharedStreams`
        self._source, self._compute_lock, self._slice = source, lock, slice_seconds
        self._error: Exception | None = None
        self._computes = False  # a thread is in `source`

    def follow(self) -> Iterator[T]:
        """All steps from the first on; the lock is not held while one is used.

        Raises:
            Busy: the next one is being computed by a run that makes no progress.
        """
        index = 0
        while True:
            while index < len(self.steps):
                index += 1
                yield self.steps[index - 1]
            run_context.yield_slot()
            with self._compute_lock, metrics.COMPUTING.time():
                if index == len(self.steps) and not self._compute():
                    return

    def _compute(self) -> bool:
        """Compute steps for a slice of time, at least one. False if there are no more."""
        if self._error is not None:
            raise self._error
        if self._computes:  # in a thread that has lost the lock
            raise hanging()
        self._computes = True
        known, until = len(self.steps), time.monotonic() + self._slice
        try:
            for step in self._source:
                self.steps.append(step)
                if time.monotonic() >= until:
                    break
        except Exception as error:
            self._error = error
            raise
        finally:
            self._computes = False
        return len(self.steps) > known


class SharedStreams(Generic[T]):
    """The computations that are running, by key. Safe to use from several threads.

    Args:
        finished: the cache that receives the steps, as a tuple, once all are computed.
        lock: is held while steps are computed.
    """

    def __init__(self, finished: ResultCache, lock: AbstractContextManager[object]) -> None:
        self._finished, self._compute_lock = finished, lock
        self._running: dict[Hashable, SharedSteps[T]] = {}
        self._lock = threading.Lock()

    def follow(self, key: Hashable, start: Callable[[], Iterator[T]]) -> Iterator[T]:
        """The steps under `key`, each soon after it is computed; `start` starts the computation if none runs yet."""
        with self._lock:
            finished = self._finished.get(key)
            running = self._running.get(key)
            source = "recent" if finished is not None or running is not None else "computed"
            metrics.RESULTS.labels(source).inc()
            if finished is None:
                if running is None:
                    running = self._running[key] = SharedSteps(start(), self._compute_lock)
                running.followers += 1
        if finished is not None:
            yield from finished
            return
        assert running is not None
        try:
            yield from running.follow()
            self._finished.put(key, tuple(running.steps))
        finally:
            with self._lock:
                running.followers -= 1
                if not running.followers:
                    del self._running[key]

    def result(
        self: "SharedStreams[Any]",
        key: Hashable,
        start: Callable[[], Generator[StepCount, None, R]],
        progress: Callable[[], AbstractContextManager[Callable[[int, int], None]]],
    ) -> R:
        """The result of the computation under `key`, with its progress shown; `start` starts it if none runs yet.

        Args:
            progress: entered during the wait; returns a function to call with the numbers of steps done and in total.
        """
        final: FinalValue[R] | None = None
        with progress() as report:
            for step in self.steps(key, start):  # to its end: only then are the steps stored
                if isinstance(step, FinalValue):
                    final = step
                else:
                    report(step.done, step.total)
        assert final is not None
        return final.value

    def steps(
        self: "SharedStreams[Any]", key: Hashable, start: Callable[[], Generator[StepCount, None, R]]
    ) -> Iterator[StepCount | FinalValue[R]]:
        """The progress of that computation, step by step, and its result at the end."""
        return self.follow(key, lambda: _with_result(start()))


def _with_result(steps: Generator[StepCount, None, R]) -> Iterator[StepCount | FinalValue[R]]:
    yield FinalValue((yield from steps))
