"""The page offers the languages that a model writes, and the chosen one is in the address, the files and the recipe."""

from __future__ import annotations

from pathlib import Path

import pytest

from model.open_model import open_model
from tests.model.hub import languages
from tests.new_process import clear_all
from tests.pages.models.opened_model_page import page_text


@pytest.fixture(scope="module")
def translator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("languages") / "mbart50"
    for part in languages.pair("mbart50"):
        part.save_pretrained(folder)
    return folder


@pytest.mark.parametrize("target", ["", "le renard."])
def test_the_language_is_chosen(open_app, translator, monkeypatch, target):
    monkeypatch.setenv("ATLAS_MODELS", str(translator))
    clear_all()
    app = open_app("models", model="mbart50", text="a fox", language="fr_XX", target=target, kind="cross")
    assert not app.exception
    (choice,) = [box for box in app.selectbox if box.label == "Output language"]
    assert choice.value == "fr_XX" and "de_DE" in choice.options
    model = open_model(translator, device="cpu")
    count = 2 * len(model.reader("a fox")["input_ids"]) + 10
    own = model.generate("a fox", count, target_language="fr_XX")
    if target:
        assert own in page_text(app)
    trace = model.trace("a fox", target=target or None, target_language="fr_XX")
    assert trace.target.labels[:2] == ("</s>", "fr_XX")
    clear_all()
