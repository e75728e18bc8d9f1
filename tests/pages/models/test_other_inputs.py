"""Heads of an opened model replaced by zero, by the mean of other inputs, or by their outputs, as the model does it."""

from __future__ import annotations

import numpy as np
import pytest

from model.causal import patching_estimate
from model.hub.opened_pictures import patch_trace
from model.open_model import open_model
from pages.models import other_inputs
from tests.pages.drawn import matrices
from tests.pages.models.opened_model_page import page_text
from tests.pages.reading import table
from tests.tiers import nightly
from views.controls import samples
from views.text.numbers import three_digits

OTHERS = ["The quick brown dog", "A lazy fox jumps"]


def heads(open_app, name: str, **query):
    return open_app("models", model=name, part="heads", **query)


@pytest.mark.parametrize(
    ("name", "replacement", "change"),
    [
        ("gpt2", "resample", "change of the loss"),
        ("gpt2", "mean", "change of the loss"),
        ("bert-classes", "mean", "change of the probability"),
        nightly("t5", "mean", "change of the loss"),
        nightly("bert", "zero", "change of the loss"),
    ],
)
def test_leading_heads_and_pairs_are_the_models(open_app, listed, name, replacement, change):
    model, text = open_model(listed[name], device="cpu"), "The quick brown fox jumps"
    app = heads(open_app, name, text=text, replacement=replacement, othertexts="\n".join([*OTHERS, "", OTHERS[0]]))
    assert not app.exception and not app.warning and not app.info
    others = [model.trace(each) for each in OTHERS] if replacement != "zero" else ()
    result = model.replace_heads(model.trace(text), replacement, others=others)
    rows = table(app, "Heads whose replacement matters")
    assert rows[0][1] == change and (len(rows[0]) == 3) == (replacement == "resample")
    effects = [result.effects[kind][layer, head] for kind, layer, head in result.leading]
    assert [row[1] for row in rows[1:]] == [three_digits(float(effect)) for effect in effects]
    drawn = matrices(app)
    np.testing.assert_allclose(drawn["Change without both"][1], result.pairs, atol=1e-5)
    said = " ".join(page_text(app).split())
    assert ("2 texts above" in said) == (replacement != "zero") and three_digits(result.reference) in said
    assert "something is wrong" not in said


def test_a_picture_is_compared_with_the_other_samples(open_app, listed):
    model = open_model(listed["vit"], device="cpu")
    app = heads(open_app, "vit", picture="church", replacement="mean")
    assert not app.exception and not app.info
    own, *others = (patch_trace(model.trace(samples.picture(name).image)) for name in samples.NAMES)
    result = model.replace_heads(own, "mean", others=others)
    effects = [result.effects[kind][layer, head] for kind, layer, head in result.leading]
    rows = table(app, "Heads whose replacement matters")[1:]
    assert [row[1] for row in rows] == [three_digits(float(effect)) for effect in effects]
    assert f"{len(others)} other sample pictures" in page_text(app)


@pytest.mark.parametrize("lines", ["", " \n ", "\n".join(map(str, range(other_inputs.MOST_TEXTS + 1)))], ids=len)
def test_no_text_and_too_many_are_one_sentence(open_app, listed, lines):
    app = heads(open_app, "gpt2", replacement="mean", othertexts=lines)
    assert ["Type 1 to 32 other texts" in each.value for each in app.info] == [True] and not app.exception


def test_texts_that_are_too_long_and_long_measurements(open_app, listed, monkeypatch):
    app = heads(open_app, "gpt2", replacement="mean")
    app = app.text_area(key="othertexts").set_value("a " * 5000).run()
    assert len(app.info) == 1 and "token" in app.info[0].value and not app.exception
    monkeypatch.setattr(patching_estimate, "ASKED_FROM", 10)
    app = heads(open_app, "gpt2", replacement="zero")
    assert "and pairs takes 44 runs" in " ".join(app.info[0].value.split())
    app = app.button(key="agree_replace").click().run()
    assert "Change without both" in matrices(app) and not app.info
