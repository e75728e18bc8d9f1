"""Answers that come step by step are made once, whoever follows them and whoever leaves."""

import threading

import pytest

from server.result_cache import Recent
from server.shared_streams import Steps, Streams


def streams():
    return Streams(Recent(4), threading.Lock())


def test_two_at_the_same_time_cause_one_computation():
    begun, shared, both = [], streams(), threading.Barrier(2, timeout=20)
    found = []

    def begin():
        begun.append(1)
        yield from range(20)

    def follow():
        steps = shared.follow("sentence", begin)
        first = next(steps)
        both.wait()  # both are in the middle of it
        found.append([first, *steps])

    threads = [threading.Thread(target=follow) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert found == [list(range(20))] * 2
    assert begun == [1]
    assert list(shared.follow("sentence", begin)) == list(range(20))
    assert begun == [1]


def test_it_goes_on_when_the_one_who_began_leaves():
    shared, made = streams(), []

    def begin():
        for number in range(4):
            made.append(number)
            yield number

    first, second = shared.follow("a", begin), shared.follow("a", begin)
    assert next(first) == next(second) == 0
    first.close()
    assert list(second) == [1, 2, 3]
    assert made == [0, 1, 2, 3]


def test_what_nobody_follows_to_its_end_is_forgotten():
    kept = Recent(4)
    shared = Streams(kept, threading.Lock())
    steps = shared.follow("a", lambda: iter(range(3)))
    next(steps)
    steps.close()
    assert kept.get("a") is None
    assert not shared._going


def test_between_two_slices_others_have_their_turn():
    lock = threading.Lock()
    steps = Steps(iter(range(3)), lock, slice_seconds=0).follow()
    for number in range(3):
        assert next(steps) == number
        assert not lock.locked()


def test_a_failure_reaches_everybody_who_follows():
    def broken():
        yield 1
        raise ValueError("no")

    steps = Steps(broken(), threading.Lock(), slice_seconds=0)
    for _ in range(2):
        follower = steps.follow()
        assert next(follower) == 1
        with pytest.raises(ValueError, match="no"):
            next(follower)
