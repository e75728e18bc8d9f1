"""The archive of a causal result has its link, and a recipe that computes its numbers again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pages.conftest import ROOT, SENTENCE
from tests.pages.recipes import record_files, run_recipe
from tests.tiers import nightly

HOUSE = "I want to buy a house."
HOSTILE = 'I want to buy a "big" car \u00e9.'


@pytest.fixture
def folder(tmp_path) -> Path:
    """A folder in which recipes find the pictures of the project."""
    (tmp_path / "assets").symlink_to(ROOT / "assets")
    return tmp_path


@pytest.mark.parametrize(
    ("query", "name"),
    [
        ({"other": HOSTILE, "headcells": "each", "headkind": "cross", "direction": "noising"}, "patching"),
        nightly({"other": HOUSE, "metric": "loss", "site": "attention_output", "headsite": "keys"}, "patching"),
        nightly({"part": "states", "other": HOUSE, "network": "lstm-vector", "direction": "noising"}, "patching"),
        nightly({"part": "noise", "noisy": "5", "samples": "3", "seed": "4", "metric": "loss"}, "patching"),
    ],
    ids=str,
)
def test_the_recipe_of_cells_computes_them_again(open_app, folder, monkeypatch, query, name):
    makers = record_files(monkeypatch)
    open_app("circuits", **query)
    printed, settings = run_recipe(makers, name, folder, monkeypatch)
    assert len(printed) == 1 and float(printed[0]) < 1e-5
    assert settings["link"].startswith("/circuits?") and settings["input"]["sentence"] == SENTENCE
    assert 0 <= settings["check"]["nothing_replaced"] < 1e-5


@pytest.mark.parametrize(
    "query",
    [
        {"cause": "patching", "patchlayer": "5", "direction": "noising"},
        {"cause": "paths", "measure": "999"},
        {"cause": "noise", "samples": "2", "patchlayer": "1"},
    ],
    ids=str,
)
@pytest.mark.nightly
def test_recipes_of_pictures(open_app, folder, monkeypatch, query):
    makers = record_files(monkeypatch)
    open_app("vision", picture="church", view="causes", otherpicture="golf-ball", **query)
    printed, settings = run_recipe(makers, "paths" if query["cause"] == "paths" else "patching", folder, monkeypatch)
    assert float(printed[-1]) < 1e-4
    assert settings["input"]["sample"] == "church" and "picture=church" in settings["link"]
