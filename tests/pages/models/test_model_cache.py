"""Two models stay open; the one that nobody reads goes first, and none is taken from its reader."""

from __future__ import annotations

import gc
import weakref

import pytest

from model import OpenError
from pages.models.model_cache import IN_USE_SECONDS, OpenedModels
from server.result_cache import compute_lock


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_a_model_is_opened_once_and_shared(clock):
    store, made = OpenedModels(clock), []
    first = store.open("a", "one", lambda: made.append("a"))
    assert store.open("a", "two", lambda: made.append("again")) is first
    assert store.get("a", "three") is first
    assert made == ["a"]


def test_the_least_recent_one_without_a_reader_goes(clock):
    store = OpenedModels(clock)
    for name in ("a", "b"):
        clock.now += 1
        store.open(name, "one", lambda: None)  # the visitor goes on: a has no reader
    store.open("c", "one", lambda: None)
    assert store.names() == ["b", "c"]


def test_whoever_asks_for_a_third_is_told_and_none_is_taken_away(clock):
    store = OpenedModels(clock)
    store.open("a", "one", lambda: None)
    store.open("b", "two", lambda: None)
    with pytest.raises(OpenError, match="2 models are open and in use.* one of a, b"):
        store.open("c", "three", lambda: None)
    assert store.names() == ["a", "b"]
    clock.now += IN_USE_SECONDS / 2
    store.get("b", "two")
    clock.now += IN_USE_SECONDS / 2 + 1
    store.open("c", "three", lambda: None)
    assert store.names() == ["b", "c"]


def test_what_cannot_be_opened_is_not_kept(clock):
    store = OpenedModels(clock)

    def fails():
        raise OpenError("It cannot.")

    with pytest.raises(OpenError):
        store.open("a", "one", fails)
    assert store.names() == []


def test_a_visitor_who_has_gone_reads_nothing(clock):
    there = {"one", "two"}
    store = OpenedModels(clock, there.__contains__)
    store.open("a", "one", lambda: None)
    store.open("b", "two", lambda: None)
    there.remove("two")
    store.open("c", "three", lambda: None)
    assert store.names() == ["a", "c"]


def test_the_memory_of_a_model_that_goes_is_given_back(clock):
    class Model:
        """What takes memory."""

    store = OpenedModels(clock)
    opened = store.open("a", "one", Model)
    gone = weakref.ref(opened.model)
    del opened
    store.open("b", "one", Model)
    store.open("c", "one", Model)
    gc.collect()
    assert store.names() == ["b", "c"]
    assert gone() is None


def test_opened_models_take_their_turns_with_all_others(clock):
    assert OpenedModels(clock).open("a", "one", lambda: None).computing is compute_lock()
