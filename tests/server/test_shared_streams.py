"""Shared computations run once, however many visitors follow them or leave."""

import threading

import pytest

from server.result_cache import ResultCache
from server.shared_streams import SharedSteps, SharedStreams


def streams():
    return SharedStreams(ResultCache(4), threading.Lock())


def test_two_followers_cause_one_computation():
    starts, shared, both = [], streams(), threading.Barrier(2, timeout=60)
    results = []

    def start():
        starts.append(1)
        yield from range(20)

    def follow():
        steps = shared.follow("sentence", start)
        first = next(steps)
        both.wait()  # both are in the middle of it
        results.append([first, *steps])

    threads = [threading.Thread(target=follow) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert results == [list(range(20))] * 2
    assert starts == [1]
    assert list(shared.follow("sentence", start)) == list(range(20))
    assert starts == [1]


def test_the_computation_goes_on_when_the_first_follower_leaves():
    shared, computed = streams(), []

    def start():
        for number in range(4):
            computed.append(number)
            yield number

    first, second = shared.follow("a", start), shared.follow("a", start)
    assert next(first) == next(second) == 0
    first.close()
    assert list(second) == [1, 2, 3]
    assert computed == [0, 1, 2, 3]


def test_a_computation_without_followers_is_dropped():
    finished = ResultCache(4)
    shared = SharedStreams(finished, threading.Lock())
    steps = shared.follow("a", lambda: iter(range(3)))
    next(steps)
    steps.close()
    assert finished.get("a") is None
    assert not shared._running


def test_the_lock_is_released_between_two_slices():
    lock = threading.Lock()
    steps = SharedSteps(iter(range(3)), lock, slice_seconds=0).follow()
    for number in range(3):
        assert next(steps) == number
        assert not lock.locked()


def test_an_error_reaches_every_follower():
    def broken():
        yield 1
        raise ValueError("no")

    steps = SharedSteps(broken(), threading.Lock(), slice_seconds=0)
    for _ in range(2):
        follower = steps.follow()
        assert next(follower) == 1
        with pytest.raises(ValueError, match="no"):
            next(follower)
