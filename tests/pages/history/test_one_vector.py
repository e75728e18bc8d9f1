"""One vector for all: the vectors, the translations, BLEU by length, and the sentence that grows."""

from __future__ import annotations

import json

import numpy as np
import pytest

from model.lessons.growing_sentence import CLAUSES, add_clauses, lengthening_losses
from model.recurrent_translator import SHIPPED
from pages.history import networks, networks_compared
from pages.shared.target_input import REFERENCES
from tests.new_process import clear_all
from tests.pages.charts import charts, check_caption, curve, text_without_links
from tests.pages.conftest import SENTENCE
from tests.pages.reading import table
from views.text.numbers import three_digits

NAMES = [
    "RNN, one vector",
    "LSTM, one vector",
    "LSTM, additive attention",
    "LSTM, dot-product attention",
    "Transformer",
]


def open_part(open_app, **query):
    return open_app("history", part="one-vector", **query)


def shipped():
    return json.loads((SHIPPED / "comparison.json").read_text())


def test_vectors_are_the_decoders_initial_states(open_app, recurrent):
    app = open_part(open_app)
    header, *rows = table(app, "Context vectors")
    assert header == ["context vector", "numbers", "length", "largest size", "values"]
    rnn, lstm = (recurrent[name].trace(SENTENCE) for name in ("rnn-vector", "lstm-vector"))
    vectors = {
        "RNN, one vector: state h": rnn.start_hidden,
        "LSTM, one vector: state h": lstm.start_hidden,
        "LSTM, one vector: cell state c": lstm.start_cell,
    }
    assert [row[:4] for row in rows] == [
        [name, str(len(vector)), three_digits(float(np.linalg.norm(vector))), three_digits(float(np.abs(vector).max()))]
        for name, vector in vectors.items()
    ]
    assert "Your sentence has 8 tokens" in " ".join(map(text_without_links, app.markdown))
    assert "something is wrong" not in check_caption(app, "the decoder starts from")


def test_all_five_networks_translate_the_sentence(open_app, recurrent, translator):
    app = open_part(open_app)
    _, *rows = table(app, "Translations by all five")
    assert [row[0] for row in rows] == NAMES
    expected = [network.translate(SENTENCE) for network in recurrent.values()] + [translator.translate(SENTENCE)]
    assert [row[2] for row in rows] == expected
    assert [row[1] for row in rows] == [
        "1 vector of 448 numbers", "h and c, 448 numbers each", "8 states of 384", "8 states of 448", "8 states of 256",
    ]  # fmt: skip


def test_decoding_follows_the_users_settings(open_app, recurrent):
    app = open_part(open_app, decoding="beam", beam="3")
    _, *rows = table(app, "Translations by all five")
    assert rows[3][2] == recurrent["lstm-dot"].translate(SENTENCE, beam=3)


def test_chart_has_the_measurement_with_its_intervals(open_app):
    app = open_part(open_app, bottleneck="lengths")
    figure, expected = charts(app)[0], shipped()
    for name, id in zip(NAMES, expected["weights_sha256"], strict=True):
        (points,) = [trace for trace in figure["data"] if trace.get("name") == name]
        bands = [group["bleu"][id] for group in expected["groups"]]
        assert points["y"] == [band["value"] for band in bands]
        assert points["error_y"]["array"] == pytest.approx([band["high"] - band["value"] for band in bands])
        assert [mark.endswith("-open") for mark in points["marker"]["symbol"]] == [False, False, False, True]
    assert figure["layout"]["xaxis"]["ticktext"][-1] == "16 and more<br>(n\u00a0=\u00a08)"


def test_finding_follows_the_intervals(open_app):
    expected = shipped()
    change = expected["change"]["lstm-additive"]
    assert change["high"] < 0, "the weights have changed; look again at what the page says"
    app = open_part(open_app, bottleneck="lengths")
    (text,) = [text_without_links(m) for m in app.markdown if m.value.startswith("**Found")]
    assert text.startswith("**Found: long sentences fit badly into one vector.**")
    shares = [expected["groups"][place]["share"]["lstm-additive"]["value"] for place in (0, 2)]
    assert f"reaches {100 * shares[0]:.1f} % of the BLEU" in text and f"and {100 * shares[1]:.1f} % on those" in text
    assert "on sentences of 1 to 5 words" in text and "on those of 11 to 15 words" in text
    assert f"between \u2212{abs(100 * change['low']):.1f} and \u2212{abs(100 * change['high']):.1f} percentage" in text
    assert "the card has two decimals" in check_caption(app, "BLEU computed again")


def test_comparison_of_other_weights_gets_one_sentence(open_app, monkeypatch):
    cards = networks_compared.shipped_cards()
    other = cards | {"lstm-dot": cards["lstm-dot"] | {"weights_sha256": "0" * 64}}
    monkeypatch.setattr(networks_compared, "shipped_cards", lambda: other)
    clear_all()
    for query in ({"part": "one-vector", "bottleneck": "lengths"}, {"part": "ladder"}):
        app = open_app("history", **query)
        (warning,) = app.warning
        assert "belongs to other weights; run `make comparison`" in warning.value.replace("\\", "")
    clear_all()


@pytest.mark.nightly
def test_curves_are_the_losses_of_the_growing_sentence(open_app, recurrent, translator):
    app = open_part(open_app, bottleneck="clauses")
    grown = add_clauses(translator, SENTENCE, REFERENCES[SENTENCE])
    figure = charts(app)[0]
    for name, network in zip(NAMES, (*recurrent.values(), translator), strict=True):
        x, y = curve(figure, name)
        assert x.tolist() == list(range(len(CLAUSES) + 1))
        np.testing.assert_allclose(y, lengthening_losses(network, grown).own, atol=2e-5)
    _, *rows = table(app, "Loss by clauses")
    assert [row[:2] for row in rows[:2]] == [["0", "6"], ["1", "10"]]
    assert "something is wrong" not in check_caption(app, "losses of your own sentence")
    whole = charts(open_part(open_app, bottleneck="clauses", counted="whole"))[0]
    np.testing.assert_allclose(curve(whole, "Transformer")[1], lengthening_losses(translator, grown).whole, atol=2e-5)


def test_translations_of_a_longer_sentence_are_shown(open_app, recurrent):
    app = open_part(open_app, bottleneck="clauses", clauses="2")
    longer = "I want to buy a car and I am tired, but my brother is in the garden."
    _, *rows = table(app, "Translations by all five")
    assert rows[1][2] == recurrent["lstm-vector"].translate(longer)


def test_french_can_be_typed_and_bad_french_gets_one_sentence(open_app, translator):
    app = open_part(open_app, bottleneck="clauses", french="Je veux un chat.")
    grown = add_clauses(translator, SENTENCE, "Je veux un chat.")
    np.testing.assert_allclose(
        curve(charts(app)[0], "Transformer")[1], lengthening_losses(translator, grown).own, atol=2e-5
    )
    app = open_part(open_app, bottleneck="clauses", french="voiture " * 200)
    (warning,) = app.warning
    assert "the model reads at most 128" in warning.value and not charts(app)
    app = open_part(open_app, bottleneck="clauses", french="!")
    (warning,) = app.warning
    assert "no token that stays" in warning.value


def test_sentence_too_long_for_a_clause_gets_one_sentence(open_app):
    app = open_part(open_app, bottleneck="clauses", text="car " * 125, french="voiture")
    assert [warning.value for warning in app.warning][-1].startswith("Your sentence is too long for one more clause")


def test_comparison_loads_no_network(open_app, monkeypatch, tmp_path):
    monkeypatch.setattr("model.recurrent_translator.SHIPPED", tmp_path)
    clear_all()
    for app in (open_part(open_app, bottleneck="lengths"), open_app("history", part="ladder")):
        assert not app.error and not app.warning
    networks.load_in_background().join()
    clear_all()
