"""The former sentence of a visitor as draft of the next one."""

import pytest
import streamlit as st

from model import DecodingOptions, Translator
from pages.shared import former_sentence
from pages.shared.former_sentence import share_most_words
from pages.shared.service import Service
from server import run_context

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
    assert former_sentence.similar_sentence("My cat sleeps.") is None
