"""The run queue is paused only while the event loop is slow."""

import asyncio
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from server import warm_up
from server.limits import RunLimits
from server.run_queue import RunQueue
from tests.coroutines import run_in_thread


class FakeQueue:
    """Records the calls of `pause`."""

    def __init__(self, running=1):
        self.running, self.waiting, self.pauses = running, 0, []

    def pause(self, paused):
        self.pauses.append(paused)


def pauses(monkeypatch, iterations, running=1):
    """The calls of `pause` when the iterations of each check take so many seconds."""
    now, rest, queue = [0.0], list(iterations), FakeQueue(running)

    async def sleep(seconds):
        if seconds:  # between two checks
            if not rest:
                raise asyncio.CancelledError
            now.append(rest.pop(0))
        else:
            now[0] += now[-1]

    monkeypatch.setattr(warm_up, "asyncio", SimpleNamespace(sleep=sleep))
    with pytest.raises(asyncio.CancelledError):
        warm_up.apply_backpressure(queue, clock=lambda: now[0]).send(None)
    return queue.pauses


SLOW, FAST = 1.1 * warm_up.SLOW_ITERATION, 0.9 * warm_up.SLOW_ITERATION


def test_slow_iterations_pause_the_queue_until_two_checks_in_a_row_were_fast(monkeypatch):
    assert warm_up.FAST_CHECKS == 2
    iterations = [SLOW, SLOW, FAST, SLOW, FAST, FAST, FAST]
    # each slow check pauses; the second fast one resumes, and so does the end
    assert pauses(monkeypatch, iterations) == [True, True, True, False, False]


def test_fast_iterations_never_pause_the_queue(monkeypatch):
    assert not any(pauses(monkeypatch, [FAST] * 10))


def test_the_queue_resumes_when_the_checks_end(monkeypatch):
    assert pauses(monkeypatch, [SLOW]) == [True, False]


def test_without_runs_nothing_is_timed(monkeypatch):
    assert not any(pauses(monkeypatch, [SLOW] * 10, running=0))


def test_a_fast_event_loop_does_not_pause_the_queue():
    queue = RunQueue(RunLimits(running=1))

    async def check_for_a_moment():
        task = asyncio.create_task(warm_up.apply_backpressure(queue))
        await asyncio.sleep(5 * warm_up.INTERVAL)
        task.cancel()

    run_in_thread(check_for_a_moment())

    @contextmanager
    def silent():
        yield pytest.fail

    with queue.slot(silent):
        assert queue.running == 1
