"""Two models stay open; one without users is evicted first, and one in use never."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from model import OpenError
from pages.models import model_cache
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
    store, opened = OpenedModels(clock), []
    first = store.open("a", "one", lambda: opened.append("a"))
    assert store.open("a", "two", lambda: opened.append("again")) is first
    assert store.get("a", "three") is first
    assert opened == ["a"]


def test_the_least_recent_model_without_users_is_evicted(clock):
    store = OpenedModels(clock)
    for name in ("a", "b"):
        clock.now += 1
        store.open(name, "one", lambda: None)  # the visitor moves on: a has no user
    store.open("c", "one", lambda: None)
    assert store.names() == ["b", "c"]


def test_a_third_model_is_refused_while_two_are_in_use(clock):
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


def test_a_model_that_cannot_be_opened_is_not_cached(clock):
    store = OpenedModels(clock)

    def fails():
        raise OpenError("It cannot.")

    with pytest.raises(OpenError):
        store.open("a", "one", fails)
    assert store.names() == []


def test_a_visitor_who_left_is_no_user(clock):
    there = {"one", "two"}
    store = OpenedModels(clock, there.__contains__)
    store.open("a", "one", lambda: None)
    store.open("b", "two", lambda: None)
    there.remove("two")
    store.open("c", "three", lambda: None)
    assert store.names() == ["a", "c"]


def test_the_memory_of_an_evicted_model_is_freed(clock):
    class Model:
        """An object whose release can be observed."""

    store = OpenedModels(clock)
    opened = store.open("a", "one", Model)
    gone = weakref.ref(opened.model)
    del opened
    store.open("b", "one", Model)
    store.open("c", "one", Model)
    gc.collect()
    assert store.names() == ["b", "c"]
    assert gone() is None


def test_opened_models_share_the_compute_lock(clock):
    assert OpenedModels(clock).open("a", "one", lambda: None).computing is compute_lock()


def test_waiting_for_another_opening_ends_in_a_sentence(clock, monkeypatch):
    monkeypatch.setattr(model_cache, "OPENING_PATIENCE", 0.0)
    store, begun, over, opened = OpenedModels(clock), threading.Event(), threading.Event(), []

    def hangs():
        begun.set()
        assert over.wait(60)

    opening = threading.Thread(target=lambda: store.open("a", "one", hangs), daemon=True)
    opening.start()
    assert begun.wait(20)
    with pytest.raises(OpenError, match="Another model is being opened.*try again in a minute"):
        store.open("b", "two", lambda: opened.append("b"))
    clock.now += model_cache.OPENING.stalled_after  # an opening that hangs keeps others out no longer
    store.open("b", "two", lambda: opened.append("b"))
    assert store.names() == ["b"] == opened
    over.set()
    opening.join(20)
    assert store.names() == ["b", "a"]
