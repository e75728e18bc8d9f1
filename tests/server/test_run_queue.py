"""The queue: who goes first, what a waiting visitor is told, and when somebody is asked to come again."""

import threading
from contextlib import contextmanager

import pytest

from server.limits import Limits
from server.run_queue import Busy, Turns

QUICK = {"silence": 0.001, "repeat": 0.001}


class Visitor(threading.Thread):
    """Somebody who takes a turn and holds it until told to leave. Events say what has happened."""

    def __init__(self, turns, name, seen, first_word=None):
        super().__init__(daemon=True)
        self.turns, self.who, self.seen = turns, name, seen
        self.told, self.in_turn, self.leave, self.rotate = (threading.Event() for _ in range(4))
        self.before = []
        self.queued_before = 0.0
        self.refused = None
        self.first_word = first_word

    @contextmanager
    def notice(self):
        def tell(before):
            self.before.append(before)
            if self.first_word:
                raise self.first_word
            self.told.set()

        yield tell

    def run(self):
        try:
            with self.turns.turn(self.notice) as turn:
                self.seen.append(self.who)
                self.in_turn.set()
                assert self.leave.wait(20)
                turn.queued += self.queued_before
                if self.rotate.is_set():
                    turn.rotate()
                    self.seen.append(f"{self.who} again")
        except (Busy, KeyboardInterrupt) as refused:
            self.refused = refused
            self.told.set()

    def waits(self):
        self.start()
        assert self.told.wait(20)
        return self

    def enters(self):
        self.start()
        assert self.in_turn.wait(20)
        return self

    def leaves(self):
        self.leave.set()
        self.join(20)
        assert not self.is_alive()


def test_first_come_first_served_and_everybody_is_told_how_many_are_before():
    turns, seen = Turns(Limits(running=1, **QUICK)), []
    first = Visitor(turns, "first", seen).enters()
    second = Visitor(turns, "second", seen).waits()
    third = Visitor(turns, "third", seen).waits()
    assert (turns.running, turns.waiting) == (1, 2)
    assert (second.before[0], third.before[0]) == (1, 2)
    for visitor, following in ((first, second), (second, third)):
        visitor.leaves()
        assert following.in_turn.wait(20)
    third.leaves()
    assert seen == ["first", "second", "third"]
    assert (turns.running, turns.waiting) == (0, 0)


def test_as_many_run_at_once_as_the_limits_say():
    turns, seen = Turns(Limits(running=2, **QUICK)), []
    inside = [Visitor(turns, name, seen).enters() for name in "ab"]
    outside = Visitor(turns, "c", seen).waits()
    assert not outside.in_turn.is_set()
    for visitor in inside:
        visitor.leaves()
    assert outside.in_turn.wait(20)
    outside.leaves()


def test_while_held_nobody_is_called_and_whoever_has_a_turn_keeps_it():
    turns, seen = Turns(Limits(running=2, **QUICK)), []
    inside = Visitor(turns, "a", seen).enters()
    turns.hold(True)
    waiting = Visitor(turns, "b", seen).waits()
    assert (turns.running, turns.waiting) == (1, 1) and waiting.before[0] == 1
    inside.leaves()
    assert (turns.running, turns.waiting) == (0, 1)
    turns.hold(False)
    assert waiting.in_turn.wait(20)
    waiting.leaves()
    assert seen == ["a", "b"]


def test_a_full_queue_asks_to_come_again():
    turns, seen = Turns(Limits(running=1, waiting=1, **QUICK)), []
    inside = Visitor(turns, "a", seen).enters()
    waiting = Visitor(turns, "b", seen).waits()
    refused = Visitor(turns, "c", seen).waits()
    assert "1 visitors are waiting already" in str(refused.refused)
    inside.leaves()
    waiting.leaves()
    assert seen == ["a", "b"]


def test_nobody_waits_longer_than_the_limit():
    now = [0.0]
    turns, seen = Turns(Limits(running=1, patience=60, **QUICK), clock=lambda: now[0]), []
    inside = Visitor(turns, "a", seen).enters()
    waiting = Visitor(turns, "b", seen).waits()
    now[0] = 60.0
    waiting.join(20)
    assert "within 60 seconds" in str(waiting.refused)
    assert turns.waiting == 0
    inside.leaves()


def test_a_visitor_who_has_gone_leaves_the_queue():
    turns, seen = Turns(Limits(running=1, **QUICK)), []
    inside = Visitor(turns, "a", seen).enters()
    gone = Visitor(turns, "b", seen, first_word=KeyboardInterrupt()).waits()
    gone.join(20)
    assert turns.waiting == 0
    inside.leaves()
    assert seen == ["a"]


@pytest.mark.parametrize(("worked", "order"), [(0.05, ["a", "a again", "b"]), (0.3, ["a", "b", "a again"])])
def test_who_has_had_a_share_lets_the_others_go_first(worked, order):
    """A long answer goes to the end of the queue, a short one goes on."""
    times = iter([0.0, worked] + [0.0] * 10)
    turns, seen = Turns(Limits(running=1, share=0.2, **QUICK), worked=lambda: next(times)), []
    long = Visitor(turns, "a", seen).enters()
    short = Visitor(turns, "b", seen).waits()
    short.leave.set()
    long.rotate.set()
    long.leaves()
    short.join(20)
    assert seen == order


def test_a_long_answer_goes_on_while_nobody_waits():
    turns = Turns(Limits(running=1), worked=lambda: float("inf"))

    @contextmanager
    def silent():
        yield pytest.fail

    with turns.turn(silent) as turn:
        turn.rotate()
        assert (turns.running, turns.waiting) == (1, 0)


def test_a_visitor_who_goes_in_the_last_moment_holds_nothing():
    turns = Turns(Limits(running=1))

    @contextmanager
    def gone():
        yield pytest.fail
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), turns.turn(gone):
        pytest.fail("the turn was taken")
    assert (turns.running, turns.waiting) == (0, 0)


def test_short_waits_of_a_run_count_together_until_the_visitor_is_told():
    limits = Limits(running=1, share=0, silence=6, repeat=0.001)
    turns, seen = Turns(limits), []
    often = Visitor(turns, "a", seen).enters()
    other = Visitor(turns, "b", seen)
    other.start()
    while not turns.waiting:
        pass
    often.queued_before = 5.99
    often.rotate.set()
    often.leave.set()
    assert other.in_turn.wait(20)
    assert often.told.wait(5)
    assert not other.before
    other.leaves()
    often.leaves()
    assert seen == ["a", "b", "a again"]


def test_what_a_visitor_is_told_who_got_no_turn_can_be_translated():
    refused = Busy("{count} visitors are waiting.", count=3)
    assert str(refused) == "3 visitors are waiting."
    assert (refused.template, refused.values) == ("{count} visitors are waiting.", {"count": 3})
