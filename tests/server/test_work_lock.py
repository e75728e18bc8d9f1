"""A lock is given to the next thread if its holder hangs, and /healthz fails only where it could not be given."""

from __future__ import annotations

import threading
from contextlib import contextmanager

import pytest

from server import run_context, work_lock
from server.limits import RunLimits
from server.result_cache import ResultCache
from server.run_queue import Busy, RunQueue
from server.shared_streams import SharedStreams
from server.work_lock import WorkLock

LIMITS = RunLimits(stalled_after=60.0, stalled=2, patience=120.0)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


class Hanging:
    """A computation in a thread of its own that does not end until `end` is called.

    Args:
        work: called in the thread with a function that hangs.
    """

    def __init__(self, work) -> None:
        self._begun, self._over = threading.Event(), threading.Event()
        self.error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()
        assert self._begun.wait(20)

    def _run(self, work) -> None:
        try:
            work(self._hang)
        except BaseException as error:
            self.error = error

    def _hang(self) -> str:
        self._begun.set()
        assert self._over.wait(60)
        return "late"

    def end(self) -> None:
        self._over.set()
        self._thread.join(20)
        assert not self._thread.is_alive() and self.error is None


def hold(lock: WorkLock) -> Hanging:
    def work(hang) -> None:
        with lock:
            hang()

    return Hanging(work)


@pytest.fixture
def clock(monkeypatch) -> Clock:
    monkeypatch.setattr(work_lock, "POLL_SECONDS", 0.01)
    return Clock()


@pytest.fixture
def lock(clock: Clock) -> WorkLock:
    return WorkLock(LIMITS, clock)


def test_the_lock_of_a_hanging_holder_goes_to_the_next(lock: WorkLock, clock: Clock):
    hanging = hold(lock)
    clock.now = 59.0
    assert not lock.acquire(0.0)
    clock.now = 60.0
    with lock:
        assert lock.stalled == 1 and not lock.blocked
        hanging.end()  # what ends late does not release the lock of another
        assert lock.stalled == 0
        refused: list[bool] = []
        other = threading.Thread(target=lambda: refused.append(not lock.acquire(0.0)))
        other.start()
        other.join(20)
        assert refused == [True]
    assert lock.acquire(0.0)
    lock.release()


def test_a_waiting_thread_gets_the_lock_as_soon_as_the_holder_has_stalled(lock: WorkLock, clock: Clock):
    hanging, has_it = hold(lock), threading.Event()

    def wait() -> None:
        with lock:
            has_it.set()

    waiting = threading.Thread(target=wait, daemon=True)
    waiting.start()
    assert not has_it.wait(0.1)
    clock.now = 60.0
    assert has_it.wait(20)
    waiting.join(20)
    hanging.end()


def test_a_lock_that_cannot_be_given_to_others_is_blocked_and_refuses(lock: WorkLock, clock: Clock):
    hanging = []
    for _ in range(LIMITS.stalled + 1):
        hanging.append(hold(lock))
        assert not lock.blocked
        clock.now += 60.0
    assert lock.stalled == LIMITS.stalled and lock.blocked and work_lock.any_blocked()
    assert not lock.acquire(0.0)
    hanging[0].end()  # one of those that lost it
    assert not lock.blocked and lock.acquire(0.0)
    lock.release()
    for each in hanging[1:]:
        each.end()
    assert lock.stalled == 0 and not work_lock.any_blocked()


def test_a_thread_that_waits_in_vain_is_refused_in_a_sentence(clock: Clock):
    lock = WorkLock(RunLimits(stalled_after=1e9, patience=0.01))
    hanging = hold(lock)
    with pytest.raises(Busy, match="have not ended within 0 seconds: please try again"), lock:
        pass
    hanging.end()


def test_the_result_of_a_hanging_computation_is_refused_and_others_are_computed(lock: WorkLock, clock: Clock):
    cache = ResultCache(4)
    hanging = Hanging(lambda hang: cache.get_or_compute("hangs", hang, lock))
    clock.now = 60.0
    with pytest.raises(Busy, match="makes no progress"):
        cache.get_or_compute("hangs", lambda: "again", lock)
    assert cache.get_or_compute("other", lambda: "quick", lock) == "quick"
    hanging.end()
    assert cache.get_or_compute("hangs", lambda: "again", lock) == "late"


def test_followers_of_a_hanging_stream_are_refused_and_others_go_on(lock: WorkLock, clock: Clock):
    streams: SharedStreams[str] = SharedStreams(ResultCache(4), lock)
    results: list[str] = []

    def steps(hang):
        yield "first"
        yield hang()

    hanging = Hanging(lambda hang: results.extend(streams.follow("hangs", lambda: steps(hang))))
    clock.now = 60.0
    with pytest.raises(Busy, match="makes no progress"):
        list(streams.follow("hangs", lambda: iter(())))
    assert list(streams.follow("other", lambda: iter(["quick"]))) == ["quick"]
    hanging.end()
    assert results == ["first", "late"] == list(streams.follow("hangs", lambda: iter(())))


def test_a_run_that_waited_for_the_lock_counts_as_making_progress(lock: WorkLock, clock: Clock, monkeypatch):
    queue = RunQueue(RunLimits(running=2, stalled_after=60.0), clock=clock)
    monkeypatch.setattr(run_context, "run_queue", lambda: queue)

    @contextmanager
    def silent():
        yield lambda ahead: None

    with run_context.queued_run("home", "", silent):
        clock.now = 50.0
        with lock:
            clock.now = 100.0
            assert (queue.running, queue.stalled, queue.blocked) == (1, 0, 0)
            clock.now = 110.0
            assert (queue.blocked, queue.stalled) == (0, 1)
