"""Our own networks open as Hugging Face checkpoints by one click, whatever else may be opened."""

from __future__ import annotations

import pytest

from tests.new_process import clear_all
from tests.pages.conftest import SENTENCE
from tests.pages.models.opened_model_page import page_text


@pytest.fixture(autouse=True)
def nothing_else(monkeypatch):
    monkeypatch.delenv("ATLAS_MODELS", raising=False)
    clear_all()
    yield
    clear_all()


def test_one_click_opens_our_translator(open_app):
    app = open_app("models", text=SENTENCE)
    assert not app.dataframe and "opens the three networks of this app alone" in page_text(app)
    app.button(key="open_atlas-translator").click().run()
    assert not app.exception and not app.warning
    assert app.query_params["model"] == "atlas-translator"
    assert "(marian): layers" in page_text(app) and "Row sums differ by at most" in page_text(app)


def test_a_link_opens_our_vision_transformer(open_app):
    app = open_app("models", model="atlas-vit", picture="church")
    assert not app.exception and not app.warning
    assert "(vit): layers" in page_text(app) and "Row sums differ by at most" in page_text(app)
    assert app.dataframe[0].value.iloc[0, 0] == "church"
    korean = open_app("models", model="atlas-vit", picture="church", lang="ko")
    assert korean.dataframe[0].value.iloc[0, 0] == "\uad50\ud68c"


def test_a_link_opens_our_decoder_only_network(open_app):
    app = open_app("models", model="atlas-gpt2", text=SENTENCE)
    assert not app.exception and not app.warning
    assert "(gpt2): layers" in page_text(app) and "Row sums differ by at most" in page_text(app)


def test_others_are_refused(open_app):
    app = open_app("models", model="owner/name")
    assert not app.exception and app.selectbox(key="model").value == "none"
