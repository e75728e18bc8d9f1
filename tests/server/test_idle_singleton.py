"""Networks of single parts are released once nobody has requested them for a while, and created again."""

import gc
import weakref

from server.idle_singleton import idle_singleton, release_all_idle
from server.limits import IDLE_SECONDS


class Clock:
    """Gives the seconds that a test sets."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Network:
    """Something that can be released."""


def make(clock: Clock):
    made = []

    def load(name="a"):
        made.append(name)
        return Network()

    return made, idle_singleton(load, clock)


def test_what_nobody_requests_for_ten_minutes_is_released_and_created_again():
    clock = Clock()
    made, load = make(clock)
    first = weakref.ref(load())
    clock.now = IDLE_SECONDS
    assert load.release_idle() == 0 and load.is_ready() and load() is first()
    clock.now += IDLE_SECONDS + 1
    assert IDLE_SECONDS == 600 and load.release_idle() == 1 and not load.is_ready()
    gc.collect()
    assert first() is None
    assert load() is load() and made == ["a", "a"]


def test_only_what_is_idle_is_released():
    clock = Clock()
    made, load = make(clock)
    load("old"), load("used")
    clock.now = IDLE_SECONDS + 1
    used = load("used")
    assert release_all_idle() >= 1 and not load.is_ready("old") and load("used") is used
    assert made == ["old", "used"]


def test_a_load_that_failed_is_tried_again():
    clock, fails = Clock(), [True]

    def load():
        if fails:
            raise OSError
        return Network()

    network = idle_singleton(load, clock)
    try:
        network()
    except OSError:
        fails.clear()
    clock.now = 10 * IDLE_SECONDS
    assert network.release_idle() == 0
    assert network() is network()
