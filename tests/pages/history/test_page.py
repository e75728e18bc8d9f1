"""The page *Before the Transformer*: its sections, and the networks that it loads."""

from __future__ import annotations

import pytest

from pages.history import networks
from pages.shared import models
from tests.new_process import clear_all
from views import navigation


def test_page_is_the_first_of_the_learning_pages():
    names = [place.id for place in navigation.PAGES]
    assert names[names.index("tokens") - 1] == "history"


def test_opening_the_page_loads_each_network_once(open_app, monkeypatch):
    loaded = []
    read = models.RecurrentTranslator.load
    monkeypatch.setattr(models.RecurrentTranslator, "load", lambda name: loaded.append(name) or read(name))
    clear_all()
    open_app("tokens")
    assert loaded == []
    open_app("history")
    networks.load_in_background().join()
    open_app("history")
    assert sorted(loaded) == sorted(networks.NAMES)


def test_damaged_network_gets_one_sentence(open_app, monkeypatch, tmp_path):
    monkeypatch.setattr("model.recurrent_translator.SHIPPED", tmp_path)
    clear_all()
    app = open_app("history")
    (error,) = app.error
    assert "is missing" in error.value
    networks.load_in_background().join()
    clear_all()


@pytest.mark.parametrize("text", ["", "  ", "car " * 240])
def test_bad_input_gets_one_sentence(open_app, text):
    app = open_app("history")
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1
