"""The page says that a model's text half alone is open, and shows layers whose heads differ in width."""

from __future__ import annotations

import logging

import pytest

from tests.model.hub import tiny
from tests.model.hub.test_tasks import build, save
from tests.model.hub.test_text_half import GEMMA3, WIDTHS
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import page_text


def test_the_page_says_so(open_app, tmp_path, monkeypatch):
    logging.getLogger("transformers").setLevel(logging.ERROR)
    save(tmp_path / "both", build("Gemma3", "Gemma3ForConditionalGeneration", GEMMA3))
    monkeypatch.setenv("ATLAS_MODELS", f"{tmp_path / 'both'}, {tiny.save('gpt2', tmp_path / 'text')}")
    clear_all()
    try:
        app = open_app("models", model="both", text="The quick fox.")
        assert not app.exception
        assert "can read pictures besides text" in page_text(app)
        assert "besides text" not in page_text(open_app("models", model="text", text="The quick fox."))
    finally:
        clear_all()


@pytest.mark.parametrize("look", ["maps", "lines", "one-weight"])
@pytest.mark.parametrize("part", ["attention", "heads", "what-if"])
def test_the_page_shows_layers_whose_heads_differ_in_width(open_app, tmp_path, monkeypatch, part, look):
    logging.getLogger("transformers").setLevel(logging.ERROR)
    save(tmp_path / "wide", build("Gemma4Text", "Gemma4ForCausalLM", WIDTHS))
    monkeypatch.setenv("ATLAS_MODELS", str(tmp_path / "wide"))
    clear_all()
    try:
        app = open_app("models", model="wide", text="The quick fox.", part=part, look=look, heads1=["2"])
        assert not app.exception
        assert not app.warning
    finally:
        clear_all()
