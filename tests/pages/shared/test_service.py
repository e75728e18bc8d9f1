"""Services: cached results, one computation at a time, one sentence when the model is broken."""

import threading
import time
from unittest.mock import patch

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from model import CheckpointError, DecodingOptions, Translator
from pages.shared.service import Service, share_most_words, similar_sentence
from server import run_context
from server.result_cache import ResultCache
from tests.new_process import clear_all
from tests.pages.conftest import PATIENCE, ROOT


def test_the_cache_retains_the_most_recently_used():
    recent = ResultCache(2)
    recent.put("a", 1)
    recent.put("b", 2)
    assert recent.get("a") == 1
    recent.put("c", 3)
    assert (recent.get("a"), recent.get("b"), recent.get("c")) == (1, None, 3)


def test_two_simultaneous_requests_compute_once():
    recent, turn, computed, answers = ResultCache(2), threading.Lock(), [], []
    request = [threading.Event(), threading.Event()]

    def compute():
        computed.append(1)
        assert request[1].wait(20)  # the other one has missed the cache by now
        return "answer"

    def ask(number):
        answers.append(recent.get_or_compute("key", compute, AnnouncingLock(turn, request[number])))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(2)]
    threads[0].start()
    assert request[0].wait(20)
    threads[1].start()
    for thread in threads:
        thread.join(20)
    assert answers == ["answer", "answer"]
    assert computed == [1]


class AnnouncingLock:
    """A lock that sets an event when a thread waits for it."""

    def __init__(self, lock, waiting):
        self.lock, self.waiting = lock, waiting

    def __enter__(self):
        self.waiting.set()
        return self.lock.__enter__()

    def __exit__(self, *error):
        return self.lock.__exit__(*error)


def test_an_evicted_result_is_found_while_it_is_referenced():
    class Result:
        pass

    recent, result = ResultCache(1), Result()
    recent.put("held", result)
    recent.put("gone", Result())
    recent.put("newest", Result())
    assert recent.get("held") is result
    assert recent.get("gone") is None
    assert list(recent._entries) == ["newest"]


class SlowTranslator:
    """Counts how many computations run at the same time."""

    capabilities = frozenset[str]()

    def __init__(self) -> None:
        self.running = self.most = self.traces = 0

    def _work(self) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        time.sleep(0.005)
        self.running -= 1

    def stream(self, text, options):
        for place in range(3):
            self._work()
            yield type("Step", (), {"ids": (text, place), "text": text})()

    def trace(self, text, target_ids):
        self._work()
        self.traces += 1
        return type("Trace", (), {"text": text, "verification": {}})()


def test_visitors_compute_one_at_a_time_and_share_results():
    translator = SlowTranslator()
    service = Service(translator)
    texts = ["one", "two", "three", "one"]
    traced = []
    threads = [
        threading.Thread(target=lambda text=text: traced.append(service.trace(text, DecodingOptions()).text))
        for text in texts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(traced) == sorted(texts)
    assert translator.most == 1
    assert translator.traces == 3
    assert len(service.cached_steps("one", DecodingOptions())) == 3


def test_an_abandoned_stream_releases_the_lock_and_caches_nothing():
    service = Service(SlowTranslator())
    stream = service.stream("one", DecodingOptions())
    next(stream)
    stream.close()
    assert service.cached_steps("one", DecodingOptions()) is None
    assert service.computing.acquire(0)
    service.computing.release()


@pytest.fixture
def fresh_cache():
    clear_all()
    yield
    clear_all()


def test_a_broken_model_gets_one_sentence(fresh_cache):
    reason = "model.safetensors is missing from *assets*."
    with patch("model.Translator.load", side_effect=CheckpointError(reason)):
        app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE).run()
    assert not app.exception
    assert app.error[0].value.replace("\\", "") == reason


def test_an_analysis_is_computed_once_even_if_it_is_empty():
    service, computed = Service(SlowTranslator()), []
    for _ in range(2):
        assert service.analysis("nothing", lambda _: computed.append(1) or ()) == ()
    assert computed == [1]


GREEDY = DecodingOptions()


@pytest.mark.parametrize(
    ("one", "other", "similar"),
    [
        ("The old teacher ", "The old teacher bought ", True),
        ("The old teacher bought bread.", "The very old teacher bought bread.", True),
        ("The old teacher", "My young farmer", False),
        ("She reads.", "She sleeps in the morning.", False),
        ("The cat sat.", "The cat ran.", True),
        ("", "The cat", False),
    ],
)
def test_sentences_that_share_most_words_at_both_ends(one, other, similar):
    assert share_most_words(one, other) is share_most_words(other, one) is similar


def test_a_typed_word_is_decoded_with_the_translation_before_it(monkeypatch):
    service, drafts = Service(Translator.load(device="cpu")), []
    plain = service.model.stream
    monkeypatch.setattr(
        service.model, "stream", lambda text, options, draft=(): drafts.append(draft) or plain(text, options, draft)
    )
    monkeypatch.setattr(run_context, "is_running", lambda: True)
    monkeypatch.setattr(st, "session_state", {})
    first = service.trace("The old teacher bought ", GREEDY)
    second = service.trace("The old teacher bought bread.", GREEDY)
    service.trace("My cat sleeps.", GREEDY)
    assert drafts == [(), first.next_ids, ()]
    assert second.next_ids == Translator.load(device="cpu").trace("The old teacher bought bread.").next_ids
    monkeypatch.setattr(run_context, "is_running", lambda: False)  # nobody's sentence
    assert similar_sentence("My cat sleeps.") is None
