"""Files and addresses of an earlier version still work: recipes, addresses of lines, intervention texts.

`old_saved.json` was written by the commit before the folders, the words and the ids changed, with what it computed. A
recipe names the weights it is for. Since others ship for pictures, their name and numbers in the file are those of the
program as it was at 65b0755, with the old folders and words and the new weights; with the old ones it computes the
former numbers.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model import HeadInterventions
from model.attribution.intervention_result import intervene_in_steps, token_losses
from model.runtime.progress import run_to_end
from tests.pages.conftest import ROOT, visit
from views.components.attention_lines import LinesView, LockedToken, from_address, to_address

SAVED = json.loads((Path(__file__).parent / "old_saved.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SAVED["recipes"])
def test_a_recipe_computes_the_same_numbers(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    names: dict = {}
    exec("\n".join(SAVED["recipes"][name]["lines"]), names)  # it asserts that weights and pixels are the same
    attention, expected = names["attention"], SAVED["recipes"][name]["found"]
    assert list(attention.shape) == expected["shape"]
    assert float((attention.astype("f8") ** 2).sum()) == pytest.approx(expected["sum_of_squares"], rel=1e-5)
    np.testing.assert_allclose(attention[0, 0, :3, 1], expected["some"], atol=1e-5)


@pytest.mark.parametrize("name", ["encoder", "picture"])
def test_a_recipe_for_other_weights_fails(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    lines, names = SAVED["recipes"][name]["lines"], {}
    other = [line[:-8] + "0000000'" if "weights_sha256" in line else line for line in lines]
    assert other != lines
    with pytest.raises(AssertionError):
        exec("\n".join(other), names)
    assert "attention" not in names


def test_an_address_of_lines_draws_the_same_lines(translator):
    saved = SAVED["lines"]
    view = LinesView(tuple(saved["layers"]), tuple(saved["heads"]), saved["mass"], LockedToken(*saved["locked"]))
    assert from_address(saved["address"], translator.trace(SAVED["sentence"]).cross_attention.shape) == view
    assert to_address(view) == saved["address"]


def test_an_intervention_does_the_same(translator):
    saved = SAVED["intervention"]
    plan = HeadInterventions.from_text(saved["text"])
    assert plan.to_text() == saved["text"]
    trace = translator.trace(saved["sentence"])
    done = run_to_end(intervene_in_steps(translator.network, translator.tokenizer, trace, plan))
    assert done.translation == saved["translation"]
    np.testing.assert_allclose(token_losses(done.after), saved["losses"], rtol=1e-3, atol=1e-5)


def test_an_address_with_a_stored_intervention_opens():
    saved = SAVED["intervention"]
    app = visit("compare", text=saved["sentence"], headskept=saved["text"])
    assert not app.warning
    assert len([button for button in app.button if (button.key or "").startswith("headsdrop")]) == 7
    assert app.query_params["headskept"] == saved["text"]
