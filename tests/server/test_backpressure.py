"""Runs are held while the server's own thread lags, and only then."""

import asyncio
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from server import backpressure
from server.limits import Limits
from server.run_queue import Turns
from tests.elsewhere import run_elsewhere


class Queue:
    """Stands for the queue: keeps what it is told."""

    def __init__(self, running=1):
        self.running, self.waiting, self.said = running, 0, []

    def hold(self, held):
        self.said.append(held)


def looks(monkeypatch, rounds, running=1):
    """What the queue is told when the rounds of each look take so many seconds."""
    now, rest, queue = [0.0], list(rounds), Queue(running)

    async def sleep(seconds):
        if seconds:  # between two looks
            if not rest:
                raise asyncio.CancelledError
            now.append(rest.pop(0))
        else:
            now[0] += now[-1]

    monkeypatch.setattr(backpressure, "asyncio", SimpleNamespace(sleep=sleep))
    with pytest.raises(asyncio.CancelledError):
        backpressure.keep_pace(queue, clock=lambda: now[0]).send(None)
    return queue.said


SLOWLY, QUICKLY = 1.1 * backpressure.SLOW, 0.9 * backpressure.SLOW


def test_slow_rounds_hold_the_runs_until_two_looks_in_a_row_were_timely(monkeypatch):
    assert backpressure.TIMELY == 2
    rounds = [SLOWLY, SLOWLY, QUICKLY, SLOWLY, QUICKLY, QUICKLY, QUICKLY]
    # each slow look holds, the second timely one lets go, and so does the end
    assert looks(monkeypatch, rounds) == [True, True, True, False, False]


def test_timely_rounds_hold_nobody(monkeypatch):
    assert not any(looks(monkeypatch, [QUICKLY] * 10))


def test_the_runs_are_let_go_when_the_server_stops_looking(monkeypatch):
    assert looks(monkeypatch, [SLOWLY]) == [True, False]


def test_without_a_run_no_rounds_are_taken(monkeypatch):
    assert not any(looks(monkeypatch, [SLOWLY] * 10, running=0))


def test_a_real_loop_on_time_lets_everybody_run():
    turns = Turns(Limits(running=1))

    async def for_a_moment():
        keeping = asyncio.create_task(backpressure.keep_pace(turns))
        await asyncio.sleep(5 * backpressure.BEAT)
        keeping.cancel()

    run_elsewhere(for_a_moment())

    @contextmanager
    def silent():
        yield pytest.fail

    with turns.turn(silent):
        assert turns.running == 1
