"""The server loads the models before the first visitor connects."""

import asyncio
import threading

from model import CheckpointError, DecodingOptions
from pages.shared import models
from pages.shared.warmup import WARMUPS, initial_answer
from server import result_cache, warm_up
from tests.coroutines import run_in_thread
from tests.new_process import clear_all
from views.controls import sentence_input
from views.initial_html import InitialContent


def test_the_first_sentence_is_translated_at_startup():
    clear_all()
    assert initial_answer("") is None and initial_answer("attention") is None
    warm_up.warm_up(WARMUPS)
    last = models.load_service().cached_steps(sentence_input.DEFAULT, DecodingOptions())[-1]
    assert last.finished
    result_cache.clear_all()
    assert initial_answer("") == InitialContent(sentence_input.DEFAULT, last.text)
    assert initial_answer("vision") is None
    assert models.load_service().cached_steps(sentence_input.DEFAULT, DecodingOptions())[-1] is last


def test_warmup_ignores_a_broken_installation(monkeypatch):
    def broken():
        raise CheckpointError("The weights are missing.")

    monkeypatch.setattr(models, "load_service", broken)
    warm_up.warm_up(WARMUPS)


def test_the_server_starts_while_it_warms_up(monkeypatch):
    started, finish = threading.Event(), threading.Event()

    def slow_warm_up(loaders):
        started.set()
        finish.wait()

    async def serve():
        async with warm_up.lifespan(WARMUPS, None):
            assert await asyncio.to_thread(started.wait, 10)
            finish.set()

    monkeypatch.setattr(warm_up, "warm_up", slow_warm_up)
    run_in_thread(asyncio.wait_for(serve(), 20))
