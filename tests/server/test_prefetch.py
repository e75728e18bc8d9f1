"""Prefetching runs in idle moments only, and its errors end only their own job."""

import threading

from server.prefetch import MAX_JOBS, Prefetcher


def test_jobs_run_in_order():
    prefetcher, done = Prefetcher(lambda: False), []
    for name in "ab":
        prefetcher.submit(lambda name=name: (done.append(name + str(step)) for step in range(3)))
    prefetcher.join()
    assert done == ["a0", "a1", "a2", "b0", "b1", "b2"]
    prefetcher.submit(lambda: map(done.append, "c"))  # in another thread
    prefetcher.join()
    assert done[-1] == "c"


def test_no_step_runs_while_the_server_is_busy():
    states, done, counted = iter([True, False, True, True, False, False]), [], []

    def busy() -> bool:
        counted.append(len(done))
        return next(states, False)

    prefetcher = Prefetcher(busy)
    prefetcher.submit(lambda: map(done.append, range(3)))
    prefetcher.join()
    assert done == [0, 1, 2]
    assert counted == [0, 0, 1, 1, 1, 2, 3]  # checked before each step until idle


def test_a_job_without_an_idle_moment_is_cancelled():
    done, closed = [], []

    def steps():
        try:
            yield done.append(1)
            yield done.append(2)
        finally:
            closed.append(True)

    prefetcher = Prefetcher(lambda: bool(done), patience=0.05)
    prefetcher.submit(steps)
    prefetcher.join()
    assert done == [1] and closed == [True]


def test_an_error_ends_only_its_own_job():
    prefetcher, done = Prefetcher(lambda: False), []
    prefetcher.submit(lambda: map(int, ["no number"]))
    prefetcher.submit(lambda: int("no number"))
    prefetcher.submit(lambda: map(done.append, [1]))
    prefetcher.join()
    assert done == [1]


def test_the_oldest_waiting_job_is_dropped():
    started, free, done = threading.Event(), threading.Event(), []

    def first():
        started.set()
        yield free.wait(20)

    prefetcher = Prefetcher(lambda: False)
    prefetcher.submit(first)
    assert started.wait(20)
    for name in range(MAX_JOBS + 2):
        prefetcher.submit(lambda name=name: map(done.append, [name]))
    free.set()
    prefetcher.join()
    assert done == list(range(2, MAX_JOBS + 2))


def test_cancelled_jobs_do_not_go_on():
    started, free, done = threading.Event(), threading.Event(), []

    def first():
        started.set()
        yield free.wait(20)
        yield done.append(1)

    prefetcher = Prefetcher(lambda: False)
    prefetcher.submit(first)
    prefetcher.submit(lambda: map(done.append, [2]))
    assert started.wait(20)
    prefetcher.cancel()
    free.set()
    prefetcher.join()
    assert done == []
    prefetcher.submit(lambda: map(done.append, [3]))
    prefetcher.join()
    assert done == [3]
