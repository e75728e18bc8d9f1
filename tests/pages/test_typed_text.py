"""The box shows what was typed, and the page states how the network reads it."""

from __future__ import annotations

import pytest

from model import Translator
from tests.pages.conftest import visit
from views.text import literal

PLAIN = '"I am tired", he said.'
TYPED = "\u201eI am\u200e tired\u201c, he said."


def captions(app) -> list[str]:
    return [caption.value for caption in app.caption if "The network reads" in caption.value]


@pytest.mark.parametrize("page", ["translate", "attention"])
def test_the_box_and_the_address_have_what_was_typed_and_the_page_what_is_read(page: str, translator: Translator):
    app = visit(page, text=TYPED)
    assert not app.exception and not app.warning
    assert app.text_input(key="text").value == TYPED
    assert app.query_params["text"] == TYPED
    (caption,) = captions(app)
    assert caption.replace("\\", "").endswith(f"The network reads: {PLAIN}")
    translation = translator.translate(PLAIN)
    assert any(literal.html(translation) in html.proto.body for html in app.get("html"))


@pytest.mark.parametrize("text", [PLAIN, "I don\u2019t know.", "  I want  a car."])
def test_what_reads_the_same_has_no_caption(text: str):
    assert not captions(visit("attention", text=text))


def test_several_sentences_get_a_note_and_one_none():
    note = "The network was trained on single sentences"
    four = "I am a student.\nShe is a doctor. We live in Paris. He has two dogs."
    app = visit("translate", text=four)
    assert [c.value.split(". ")[0] for c in app.caption if note in c.value] == ["These are 4 sentences"]
    assert not [c for c in visit("translate", text=PLAIN).caption if note in c.value]


def test_a_second_box_states_it_too():
    app = visit("compare", b="other", other=TYPED)
    assert not app.exception and len(captions(app)) == 1
