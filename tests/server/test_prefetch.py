"""Work is done ahead in idle moments only, and disturbs nobody when it fails."""

import threading

from server.prefetch import MOST, Ahead


def test_works_are_done_in_order():
    ahead, done = Ahead(lambda: False), []
    for name in "ab":
        ahead.compute(lambda name=name: (done.append(name + str(step)) for step in range(3)))
    ahead.finish()
    assert done == ["a0", "a1", "a2", "b0", "b1", "b2"]
    ahead.compute(lambda: map(done.append, "c"))  # in another thread
    ahead.finish()
    assert done[-1] == "c"


def test_no_step_while_somebody_waits():
    looks, done, counted = iter([True, False, True, True, False, False]), [], []

    def busy() -> bool:
        counted.append(len(done))
        return next(looks, False)

    ahead = Ahead(busy)
    ahead.compute(lambda: map(done.append, range(3)))
    ahead.finish()
    assert done == [0, 1, 2]
    assert counted == [0, 0, 1, 1, 1, 2, 3]  # looked before each step, until nobody waited


def test_what_is_never_idle_is_given_up():
    done, closed = [], []

    def steps():
        try:
            yield done.append(1)
            yield done.append(2)
        finally:
            closed.append(True)

    ahead = Ahead(lambda: bool(done), patience=0.05)
    ahead.compute(steps)
    ahead.finish()
    assert done == [1] and closed == [True]


def test_an_error_ends_its_own_work_alone():
    ahead, done = Ahead(lambda: False), []
    ahead.compute(lambda: map(int, ["no number"]))
    ahead.compute(lambda: int("no number"))
    ahead.compute(lambda: map(done.append, [1]))
    ahead.finish()
    assert done == [1]


def test_the_oldest_of_many_is_forgotten():
    begun, free, done = threading.Event(), threading.Event(), []

    def first():
        begun.set()
        yield free.wait(20)

    ahead = Ahead(lambda: False)
    ahead.compute(first)
    assert begun.wait(20)
    for name in range(MOST + 2):
        ahead.compute(lambda name=name: map(done.append, [name]))
    free.set()
    ahead.finish()
    assert done == list(range(2, MOST + 2))


def test_what_is_dropped_is_not_gone_on_with():
    begun, free, done = threading.Event(), threading.Event(), []

    def first():
        begun.set()
        yield free.wait(20)
        yield done.append(1)

    ahead = Ahead(lambda: False)
    ahead.compute(first)
    ahead.compute(lambda: map(done.append, [2]))
    assert begun.wait(20)
    ahead.drop()
    free.set()
    ahead.finish()
    assert done == []
    ahead.compute(lambda: map(done.append, [3]))
    ahead.finish()
    assert done == [3]
