"""Attribution of an opened model: shares of a logit and rollout as the model computes them."""

from __future__ import annotations

import numpy as np
import pytest

from model.open_model import open_model
from pages.models import text
from tests.pages.drawn import matrices
from tests.pages.models.opened_model_page import page_text
from tests.pages.reading import table
from tests.tiers import nightly
from views.text.numbers import three_digits

TEXT = "The quick brown fox jumps"


def attribution(open_app, name: str, method: str, **query):
    return open_app("models", model=name, part="attribution", attribute=method, **{"text": TEXT} | query)


@pytest.mark.parametrize(
    ("name", "query", "position"),
    [
        ("gpt2", {"position": "3"}, 2),
        nightly("bert-classes", {}, -1),
        nightly("t5", {}, 0),
    ],
)
def test_shares_of_the_tokens_are_the_models_and_nearly_complete(open_app, listed, name, query, position):
    model = open_model(listed[name], device="cpu")
    result = model.integrated_gradients(model.trace(TEXT), position=position)
    ((stack, values),) = result.attributions.items()
    app = attribution(open_app, name, "integrated", **query)
    rows = table(app, "Tokens by their share of the logit")[1:]
    assert [row[1] for row in rows] == [three_digits(float(value)) for value in values]
    text = " ".join(page_text(app).split())
    assert f"The shares sum to {three_digits(float(values.sum()))}." in text
    assert f"is {three_digits(result.baseline)}, with all it is {three_digits(result.value)}" in text
    assert not app.exception and not app.info


@pytest.mark.parametrize(
    ("name", "query", "kind"),
    [
        ("gpt2", {"upto": "1", "fusion": "max", "rolled": "4"}, "decoder"),
        nightly("t5", {"rolledkind": "encoder"}, "encoder"),
    ],
)
def test_rollout_is_the_models_up_to_the_layer(open_app, listed, name, query, kind):
    model = open_model(listed[name], device="cpu")
    rolled = model.rollout(model.trace(TEXT), kind, query.get("fusion", "mean"))
    app = attribution(open_app, name, "rollout", **query)
    ((_, drawn),) = matrices(app).values()
    layer = int(query.get("upto", len(rolled))) - 1
    np.testing.assert_allclose(drawn, rolled[layer], atol=1e-6)
    row = rolled[layer, int(query.get("rolled", rolled.shape[-1])) - 1]
    strip = next(each.value for each in app.html if "Share of each token in this one" in each.value)
    assert all(f"<small>{three_digits(float(value))}</small>" in strip for value in row)
    assert not app.exception and "something is wrong" not in page_text(app)


def test_what_a_model_lacks_is_one_sentence_and_long_ones_ask(open_app, listed, monkeypatch):
    app = attribution(open_app, "gpt-j", "integrated")
    assert not app.exception and not app.warning
    monkeypatch.setattr(text, "ASK_FROM", 0.0)
    app = attribution(open_app, "gpt2", "integrated")
    assert "Integrating the gradients takes about" in app.info[0].value
    assert "share of the logit" not in page_text(app.run())
    app = app.button(key="agree_integrate").click().run()
    assert table(app, "Tokens by their share of the logit") and not app.info
