"""The run queue: its order, the notices of waiting visitors, and when a run is refused."""

import threading
from contextlib import contextmanager

import pytest

from server.limits import RunLimits
from server.run_queue import Busy, RunQueue

QUICK = {"notice_after": 0.001, "notice_every": 0.001}


class QueuedThread(threading.Thread):
    """Take a slot and release it when `leave` is set.

    Attributes:
        notified: set after a notice was shown, or the run was refused.
        started_run: set once it has a slot.
        ahead: the numbers of runs before it in its notices.
    """

    def __init__(self, queue, name, order, notice_error=None):
        super().__init__(daemon=True)
        self.queue, self.run_name, self.order = queue, name, order
        self.notified, self.started_run, self.leave, self.yield_once = (threading.Event() for _ in range(4))
        self.ahead = []
        self.queued_before = 0.0
        self.refusal = None
        self.notice_error = notice_error

    @contextmanager
    def notice(self):
        def report(ahead):
            self.ahead.append(ahead)
            if self.notice_error:
                raise self.notice_error
            self.notified.set()

        yield report

    def run(self):
        try:
            with self.queue.slot(self.notice) as slot:
                self.order.append(self.run_name)
                self.started_run.set()
                assert self.leave.wait(20)
                slot.queued += self.queued_before
                if self.yield_once.is_set():
                    slot.yield_slot()
                    self.order.append(f"{self.run_name} again")
        except (Busy, KeyboardInterrupt) as refusal:
            self.refusal = refusal
            self.notified.set()

    def start_waiting(self):
        self.start()
        assert self.notified.wait(20)
        return self

    def start_running(self):
        self.start()
        assert self.started_run.wait(20)
        return self

    def finish(self):
        self.leave.set()
        self.join(20)
        assert not self.is_alive()


def test_runs_start_in_order_of_arrival_and_notices_show_the_number_before():
    queue, order = RunQueue(RunLimits(running=1, **QUICK)), []
    first = QueuedThread(queue, "first", order).start_running()
    second = QueuedThread(queue, "second", order).start_waiting()
    third = QueuedThread(queue, "third", order).start_waiting()
    assert (queue.running, queue.waiting) == (1, 2)
    assert (second.ahead[0], third.ahead[0]) == (1, 2)
    for current, following in ((first, second), (second, third)):
        current.finish()
        assert following.started_run.wait(20)
    third.finish()
    assert order == ["first", "second", "third"]
    assert (queue.running, queue.waiting) == (0, 0)


def test_as_many_runs_execute_concurrently_as_the_limit():
    queue, order = RunQueue(RunLimits(running=2, **QUICK)), []
    running = [QueuedThread(queue, name, order).start_running() for name in "ab"]
    waiting = QueuedThread(queue, "c", order).start_waiting()
    assert not waiting.started_run.is_set()
    for thread in running:
        thread.finish()
    assert waiting.started_run.wait(20)
    waiting.finish()


def test_a_paused_queue_starts_no_run_and_lets_running_ones_go_on():
    queue, order = RunQueue(RunLimits(running=2, **QUICK)), []
    running = QueuedThread(queue, "a", order).start_running()
    queue.pause(True)
    waiting = QueuedThread(queue, "b", order).start_waiting()
    assert (queue.running, queue.waiting) == (1, 1) and waiting.ahead[0] == 1
    running.finish()
    assert (queue.running, queue.waiting) == (0, 1)
    queue.pause(False)
    assert waiting.started_run.wait(20)
    waiting.finish()
    assert order == ["a", "b"]


def test_a_full_queue_refuses_further_runs():
    queue, order = RunQueue(RunLimits(running=1, waiting=1, **QUICK)), []
    running = QueuedThread(queue, "a", order).start_running()
    waiting = QueuedThread(queue, "b", order).start_waiting()
    refused = QueuedThread(queue, "c", order).start_waiting()
    assert "1 visitors are waiting already" in str(refused.refusal)
    running.finish()
    waiting.finish()
    assert order == ["a", "b"]


def test_a_run_that_waits_longer_than_the_limit_is_refused():
    now = [0.0]
    queue, order = RunQueue(RunLimits(running=1, patience=60, **QUICK), clock=lambda: now[0]), []
    running = QueuedThread(queue, "a", order).start_running()
    waiting = QueuedThread(queue, "b", order).start_waiting()
    now[0] = 60.0
    waiting.join(20)
    assert "within 60 seconds" in str(waiting.refusal)
    assert queue.waiting == 0
    running.finish()


def test_a_visitor_who_has_gone_leaves_the_queue():
    queue, order = RunQueue(RunLimits(running=1, **QUICK)), []
    running = QueuedThread(queue, "a", order).start_running()
    gone = QueuedThread(queue, "b", order, notice_error=KeyboardInterrupt()).start_waiting()
    gone.join(20)
    assert queue.waiting == 0
    running.finish()
    assert order == ["a"]


@pytest.mark.parametrize(("seconds", "expected"), [(0.05, ["a", "a again", "b"]), (0.3, ["a", "b", "a again"])])
def test_a_run_yields_after_its_slice_of_time(seconds, expected):
    """A long run goes to the end of the queue, a short one goes on."""
    times = iter([0.0, seconds] + [0.0] * 10)
    queue, order = RunQueue(RunLimits(running=1, slice_seconds=0.2, **QUICK), cpu_time=lambda: next(times)), []
    long = QueuedThread(queue, "a", order).start_running()
    short = QueuedThread(queue, "b", order).start_waiting()
    short.leave.set()
    long.yield_once.set()
    long.finish()
    short.join(20)
    assert order == expected


def test_no_run_begins_while_as_many_as_the_limit_have_begun():
    """They take turns until one of them ends, and then the next begins."""
    queue, order = RunQueue(RunLimits(running=1, begun=2, slice_seconds=0, **QUICK), cpu_time=lambda: 0.0), []
    first = QueuedThread(queue, "a", order).start_running()
    second = QueuedThread(queue, "b", order).start_waiting()
    third = QueuedThread(queue, "c", order).start_waiting()
    first.yield_once.set()
    first.leave.set()
    assert second.started_run.wait(20) and first.notified.wait(20)
    assert (first.ahead[0], third.ahead[-1]) == (1, 2)
    second.yield_once.set()
    second.leave.set()
    first.join(20)
    assert order[:3] == ["a", "b", "a again"]  # the third came before, and has not begun
    third.leave.set()
    for thread in (second, third):
        thread.join(20)
    assert sorted(order[3:]) == ["b again", "c"]
    assert (queue.running, queue.waiting) == (0, 0)


@pytest.mark.parametrize("begun", [1, 3])
def test_all_runs_end_however_often_they_yield(begun):
    queue, order = RunQueue(RunLimits(running=1, begun=begun, slice_seconds=0, **QUICK), cpu_time=lambda: 0.0), []
    threads = [QueuedThread(queue, str(number), order) for number in range(8)]
    for thread in threads:
        thread.yield_once.set()
        thread.leave.set()
        thread.start()
    for thread in threads:
        thread.join(20)
        assert not thread.is_alive() and thread.refusal is None
    assert len(order) == 16
    for end in range(17):
        begins = {name for name in order[:end] if not name.endswith("again")}
        ends = {name.removesuffix(" again") for name in order[:end] if name.endswith("again")}
        assert len(begins - ends) <= begun


def test_a_full_queue_refuses_no_run_that_has_begun():
    queue, order = RunQueue(RunLimits(running=1, waiting=1, slice_seconds=0, **QUICK), cpu_time=lambda: 0.0), []
    first = QueuedThread(queue, "a", order).start_running()
    waiting = QueuedThread(queue, "b", order).start_waiting()
    waiting.leave.set()
    first.yield_once.set()
    first.finish()
    waiting.join(20)
    assert order == ["a", "b", "a again"] and first.refusal is None


def test_a_long_run_goes_on_if_no_other_waits():
    queue = RunQueue(RunLimits(running=1), cpu_time=lambda: float("inf"))

    @contextmanager
    def silent():
        yield pytest.fail

    with queue.slot(silent) as slot:
        slot.yield_slot()
        assert (queue.running, queue.waiting) == (1, 0)


def test_a_visitor_who_leaves_as_a_slot_is_assigned_releases_it():
    queue = RunQueue(RunLimits(running=1))

    @contextmanager
    def gone():
        yield pytest.fail
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), queue.slot(gone):
        pytest.fail("the run started")
    assert (queue.running, queue.waiting) == (0, 0)


def test_short_waits_of_a_run_add_up_until_a_notice_is_shown():
    limits = RunLimits(running=1, slice_seconds=0, notice_after=6, notice_every=0.001)
    queue, order = RunQueue(limits), []
    often = QueuedThread(queue, "a", order).start_running()
    other = QueuedThread(queue, "b", order)
    other.start()
    while not queue.waiting:
        pass
    often.queued_before = 5.99
    often.yield_once.set()
    often.leave.set()
    assert other.started_run.wait(20)
    assert often.notified.wait(5)
    assert not other.ahead
    other.finish()
    often.finish()
    assert order == ["a", "b", "a again"]


def test_the_message_of_a_refused_run_can_be_translated():
    refusal = Busy("{count} visitors are waiting.", count=3)
    assert str(refusal) == "3 visitors are waiting."
    assert (refusal.template, refusal.values) == ("{count} visitors are waiting.", {"count": 3})


def test_a_run_without_progress_gives_its_slot_to_the_next():
    now = [0.0]
    queue, order = RunQueue(RunLimits(running=2, stalled_after=60, **QUICK), clock=lambda: now[0]), []
    hanging = [QueuedThread(queue, name, order).start_running() for name in "ab"]
    waiting = QueuedThread(queue, "c", order).start_waiting()
    now[0] = 59.0
    assert (queue.blocked, queue.stalled, queue.running) == (0, 0, 2)
    now[0] = 60.0
    assert waiting.started_run.wait(20)
    assert (queue.blocked, queue.stalled, queue.running) == (0, 2, 1)
    for thread in (*hanging, waiting):
        thread.finish()
    assert (queue.blocked, queue.stalled, queue.running) == (0, 0, 0)


def test_a_run_that_goes_on_after_it_lost_its_slot_waits_for_another():
    now = [0.0]
    queue, order = (
        RunQueue(RunLimits(running=1, stalled_after=60, slice_seconds=1e9, **QUICK), clock=lambda: now[0]),
        [],
    )
    slow = QueuedThread(queue, "a", order).start_running()
    other = QueuedThread(queue, "b", order).start_waiting()
    now[0] = 61.0
    assert other.started_run.wait(20)
    slow.yield_once.set()
    slow.leave.set()
    assert slow.notified.wait(20)
    assert order == ["a", "b"] and (queue.stalled, queue.waiting) == (0, 1)
    other.finish()
    slow.join(20)
    assert order == ["a", "b", "a again"]
    assert (queue.stalled, queue.running, queue.waiting) == (0, 0, 0)


def test_a_run_that_reports_progress_keeps_its_slot():
    now = [0.0]
    queue, order = RunQueue(RunLimits(running=1, stalled_after=60), clock=lambda: now[0]), []

    @contextmanager
    def silent():
        yield pytest.fail

    with queue.slot(silent) as slot:
        for now[0] in (50.0, 100.0, 150.0):
            slot.yield_slot()
            assert (queue.blocked, queue.stalled, queue.running) == (0, 0, 1)
        now[0] = 220.0
        assert (queue.blocked, queue.stalled, queue.running) == (0, 1, 0)
    assert order == [] and queue.stalled == 0


def test_more_stalled_runs_than_the_limit_keep_their_slots_and_block():
    now = [0.0]
    queue = RunQueue(RunLimits(running=3, stalled=2, stalled_after=60), clock=lambda: now[0])
    hanging = [QueuedThread(queue, name, []).start_running() for name in "abc"]
    now[0] = 60.0
    assert (queue.blocked, queue.stalled, queue.running) == (1, 2, 1)
    hanging[0].finish()
    assert (queue.blocked, queue.stalled, queue.running) == (0, 2, 0)
    for thread in hanging[1:]:
        thread.finish()
    assert queue.stalled == 0
