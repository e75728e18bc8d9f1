"""Networks of single parts are released once nobody has requested them for a while, and created again."""

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
import streamlit

from model import CheckpointError
from model.translator import SHIPPED
from pages.shared.head_ranking.head_rows import load_best_statistics
from pages.shared.models import load_alignment, load_service, load_vision
from server.health import readiness
from server.limits import IDLE_SECONDS
from server.result_cache import compute_lock
from server.run_context import run_queue
from server.singleton import idle_singleton, release_all_idle, singleton


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


PATIENCE = 20  # seconds


def test_three_visitors_at_a_cold_start_wait_for_one_load():
    started, go_on, loaded = threading.Event(), threading.Event(), []

    @singleton
    def load():
        loaded.append(object())
        started.set()
        assert go_on.wait(PATIENCE)
        return loaded[-1]

    with ThreadPoolExecutor(3) as visitors:
        answers = [visitors.submit(load) for _ in range(3)]
        assert started.wait(PATIENCE)
        assert not any(answer.done() for answer in answers)
        go_on.set()
        assert {id(answer.result(PATIENCE)) for answer in answers} == {id(loaded[0])}
    assert len(loaded) == 1


def test_a_slow_load_blocks_no_other():
    go_on = threading.Event()

    @singleton
    def load(name):
        if name == "slow":
            assert go_on.wait(PATIENCE)
        return name

    with ThreadPoolExecutor(1) as visitor:
        slow = visitor.submit(load, "slow")
        assert load("quick") == "quick"
        go_on.set()
        assert slow.result(PATIENCE) == "slow"


def test_is_ready_reports_results_that_exist():
    load = singleton({"there": 1}.__getitem__)
    assert not load.is_ready("there")
    assert load("there") == 1 and load.is_ready("there")
    with pytest.raises(KeyError):
        load("missing")
    assert not load.is_ready("missing")


def test_a_failed_load_is_tried_again_by_waiting_and_later_callers():
    tries = []

    @singleton
    def load():
        tries.append(1)
        if len(tries) < 3:
            raise CheckpointError("The weights are missing.")
        return "loaded"

    for _ in range(2):
        with pytest.raises(CheckpointError, match="weights are missing"):
            load()
    assert load() == load() == "loaded"
    assert len(tries) == 3


def test_none_is_a_result_and_results_are_stored_by_arguments():
    calls = []

    @singleton
    def load(name):
        calls.append(name)

    assert [load("a"), load("b"), load("a")] == [None, None, None]
    assert calls == ["a", "b"]


@pytest.mark.parametrize(
    "load", [load_service, load_vision, readiness, run_queue, compute_lock], ids=lambda load: load.__name__
)
def test_the_server_s_singletons_survive_clearing_streamlit_s_caches(load):
    before = load()
    streamlit.cache_resource.clear()
    streamlit.cache_data.clear()
    assert load() is before


def test_results_of_the_weights_survive_it_too():
    translator = load_service().model
    for load in (load_alignment, load_best_statistics):
        arguments = (
            SHIPPED,
            translator.card["tokenizer_sha256"] if load is load_alignment else translator.weights_sha256,
        )
        before = load(*arguments)
        streamlit.cache_resource.clear()
        assert load(*arguments) is before
