"""The section *One word at a time*: its sliders show what the encoder computes."""

from __future__ import annotations

import numpy as np
import pytest

from model import RecurrentTranslator
from model.lessons.recurrence import unroll
from tests.pages.charts import check_caption
from tests.pages.conftest import SENTENCE
from tests.pages.stepped import labels, read_step_view


@pytest.fixture(scope="module")
def rnn() -> RecurrentTranslator:
    return RecurrentTranslator.load("rnn-vector")


@pytest.mark.parametrize("way", ["backwards", "forwards"])
def test_every_step_equals_the_encoder(open_app, rnn, way):
    header, numbers = read_step_view(open_app("history", direction=way))
    trace = rnn.trace(SENTENCE)
    expected = unroll(rnn.network, trace.source_ids, way)
    tokens = [token.strip("\u2009") for token in trace.source_tokens]
    assert labels(header, "step") == (tokens if way == "forwards" else tokens[::-1])
    order = [int(name) - 1 for name in labels(header, "unit")]
    assert sorted(order) == list(range(448))
    np.testing.assert_allclose(numbers["hidden"], expected.hidden[:, order], atol=1e-6)
    assert (np.diff(expected.hidden.var(axis=0)[order]) <= 0).all()
    total = np.tanh(numbers["token"] + numbers["state"] + numbers["bias"])
    np.testing.assert_allclose(total, numbers["hidden"], atol=1e-5)
    if way == "backwards":
        np.testing.assert_allclose(numbers["hidden"][::-1], trace.encoder["backwards"].hidden[:, order], atol=1e-5)
    assert numbers["left"][0] == 1 and 0 < numbers["left"][-1] < numbers["left"].max()


def test_both_directions_equal_the_bidirectional_encoder(open_app):
    app = open_app("history", direction="both")
    header, numbers = read_step_view(app)
    trace = RecurrentTranslator.load("lstm-additive").trace(SENTENCE)
    np.testing.assert_allclose(numbers["forwards"], trace.encoder["forwards"].hidden, atol=1e-6)
    np.testing.assert_allclose(numbers["backwards"], trace.encoder["backwards"].hidden, atol=1e-6)
    assert float(check_caption(app, "cut off at the token").split()[-1].rstrip(".")) < 1e-5


def test_address_sets_the_sliders(open_app):
    app = open_app("history", step="3", unit="40")
    place = labels(read_step_view(app)[0], "unit").index("40")
    chosen = f'data-chosen="{{&quot;step&quot;: 2, &quot;unit&quot;: {place}}}"'
    assert chosen in "".join(part.value for part in app.html)
    assert (app.query_params["step"], app.query_params["unit"]) == ("3", "40")
    assert open_app("history", step="1").query_params["step"] == "1"  # not where the view opens without a step


@pytest.mark.parametrize("wrong", ["0", "999999", "-1", "x", "\u0663", "1.5"])
def test_invalid_place_falls_back_to_the_last_step_and_the_first_unit(open_app, wrong):
    app = open_app("history", step=wrong, unit=wrong)
    last = len(labels(read_step_view(app)[0], "step")) - 1
    chosen = f'data-chosen="{{&quot;step&quot;: {last}, &quot;unit&quot;: 0}}"'
    assert last > 0 and chosen in "".join(part.value for part in app.html)
    assert "step" not in app.query_params and "unit" not in app.query_params


def test_sentence_of_one_word_has_steps(open_app):
    header, numbers = read_step_view(open_app("history", text="No"))
    assert labels(header, "step") == ["</s>", "No"] and numbers["hidden"].shape == (2, 448)
