"""What lives as long as the process is made once, survives what a visitor can clear, and is tried again if it fails."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import streamlit

from model import CheckpointError
from model.translator import SHIPPED
from pages.shared.head_ranking.head_rows import shipped
from pages.shared.models import alignment, load_service, load_vision
from server.health import readiness
from server.result_cache import computing
from server.run_context import turns
from server.singleton import process_wide

PATIENCE = 20  # seconds


def test_three_visitors_who_come_to_a_cold_start_cause_one_load_and_wait_for_it():
    begun, go_on, made = threading.Event(), threading.Event(), []

    @process_wide
    def load():
        made.append(object())
        begun.set()
        assert go_on.wait(PATIENCE)
        return made[-1]

    with ThreadPoolExecutor(3) as visitors:
        answers = [visitors.submit(load) for _ in range(3)]
        assert begun.wait(PATIENCE)
        assert not any(answer.done() for answer in answers)
        go_on.set()
        assert {id(answer.result(PATIENCE)) for answer in answers} == {id(made[0])}
    assert len(made) == 1


def test_one_slow_load_holds_up_no_other():
    go_on = threading.Event()

    @process_wide
    def load(name):
        if name == "slow":
            assert go_on.wait(PATIENCE)
        return name

    with ThreadPoolExecutor(1) as visitor:
        slow = visitor.submit(load, "slow")
        assert load("quick") == "quick"
        go_on.set()
        assert slow.result(PATIENCE) == "slow"


def test_it_says_what_nobody_has_to_wait_for():
    load = process_wide({"there": 1}.__getitem__)
    assert not load.made("there")
    assert load("there") == 1 and load.made("there")
    with pytest.raises(KeyError):
        load("missing")
    assert not load.made("missing")


def test_a_failed_load_is_tried_again_by_who_waited_and_by_who_comes_later():
    tries = []

    @process_wide
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


def test_none_is_a_result_and_arguments_tell_results_apart():
    asked = []

    @process_wide
    def found(name):
        asked.append(name)

    assert [found("a"), found("b"), found("a")] == [None, None, None]
    assert asked == ["a", "b"]


@pytest.mark.parametrize(
    "kept", [load_service, load_vision, readiness, turns, computing], ids=lambda kept: kept.__name__
)
def test_what_the_server_needs_survives_what_a_visitor_can_clear(kept):
    before = kept()
    streamlit.cache_resource.clear()
    streamlit.cache_data.clear()
    assert kept() is before


def test_what_belongs_to_the_weights_survives_too():
    translator = load_service().model
    for kept in (alignment, shipped):
        arguments = (SHIPPED, translator.card["tokenizer_sha256"] if kept is alignment else translator.weights_sha256)
        before = kept(*arguments)
        streamlit.cache_resource.clear()
        assert kept(*arguments) is before
