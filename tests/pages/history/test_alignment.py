"""Attention over states: the numbers of every step, the maps compared with the Transformer's, and the viewer."""

from __future__ import annotations

import numpy as np
import pytest

from model.attribution.alignment_error import count_links
from model.lessons.first_attention import recompute_first_attention
from model.lessons.network_comparison import load_comparison, shipped_cards
from model.text.word_alignment import AlignmentTable, find_links
from model.translator import SHIPPED
from tests.pages.charts import check_caption, text_without_links
from tests.pages.conftest import SENTENCE
from tests.pages.drawn import matrices
from tests.pages.pseudo import uncatalogued_texts
from tests.pages.reading import table
from tests.pages.stepped import labels, read_step_view
from tests.payloads import read_payload
from views.text.numbers import three_digits, with_interval

LONG = "The animal didn't cross the street because it was too tired."
with_alignment = pytest.mark.parametrize("name", ["lstm-additive", "lstm-dot"])


def open_part(open_app, name="lstm-additive", **query):
    return open_app("history", part="attention-over-states", score=name, **query)


@with_alignment
def test_steps_equal_the_network(open_app, recurrent, name):
    header, arrays = read_step_view(open_part(open_app, name, text=LONG))
    trace = recurrent[name].trace(LONG)
    expected = recompute_first_attention(trace)
    np.testing.assert_allclose(arrays["weights"].sum(axis=1), 1, atol=2e-6)
    np.testing.assert_allclose(arrays["weights"], trace.alignment, atol=1e-5)
    np.testing.assert_allclose(arrays["scores"], expected.scores, rtol=1e-5)
    np.testing.assert_allclose(arrays["weights"], arrays["exponentials"] / arrays["total"][:, None], atol=1e-6)
    np.testing.assert_allclose(arrays["context"], arrays["weights"] @ arrays["states"], atol=1e-5)
    query = trace.decoder.hidden if name == "lstm-dot" else np.vstack([trace.start_hidden, trace.decoder.hidden[:-1]])
    np.testing.assert_allclose(arrays["query"], query, atol=1e-6)
    assert [label.strip() for label in labels(header, "step")] == [t.strip("\u2009") for t in trace.next_tokens]
    assert len(labels(header, "token")) == len(trace.source_tokens)


@with_alignment
def test_text_names_query_key_and_value_and_the_querying_state(open_app, name):
    app = open_part(open_app, name)
    text = " ".join(map(text_without_links, app.markdown))
    assert ("**before**" in text) == (name == "lstm-additive") and ("**after**" in text) == (name == "lstm-dot")
    assert "the *query* is the decoder\u2019s state" in text and "*Keys* and *values* are the same here" in text
    assert "something is wrong" not in check_caption(app, "in double precision")


@with_alignment
def test_compared_maps_have_the_same_tokens(open_app, recurrent, translator, name):
    app = open_part(open_app, name, attending="beside")
    trace = recurrent[name].trace(SENTENCE)
    forced = translator.trace(SENTENCE, target_ids=trace.next_ids)
    cross = forced.attention("cross")
    head = load_comparison({each: card["weights_sha256"] for each, card in shipped_cards().items()}).head
    links = AlignmentTable.load(SHIPPED, translator.card["tokenizer_sha256"])
    reference = find_links(links, trace.source_ids, trace.next_ids)
    maps = [trace.alignment, cross[-1].mean(axis=0), cross[head]]
    drawn = [values for _, values in matrices(app).values()]
    for values, expected in zip(drawn, [*maps, reference], strict=True):
        np.testing.assert_allclose(values, expected, atol=1e-5)
    _, *rows = table(app, "Alignment error rates")
    for row, weights in zip(rows, maps, strict=True):
        counts = count_links(weights, reference)
        assert row[1:5] == [
            str(counts.attention),
            str(counts.reference),
            str(counts.shared),
            three_digits(counts.error),
        ]
    assert "something is wrong" not in check_caption(app, "both networks")


def test_heldout_error_rates_have_intervals(open_app):
    app = open_part(open_app, "lstm-dot", attending="beside")
    rate = load_comparison({name: card["weights_sha256"] for name, card in shipped_cards().items()}).alignment
    _, dot, layer, head = table(app, "Alignment error rates")
    for row, name in ((dot, "lstm-dot"), (layer, "transformer"), (head, "transformer-head")):
        band = rate[name].generated
        assert row[5] == with_interval(band.value, band.low, band.high)
    text = " ".join(map(text_without_links, app.markdown))
    assert "no person made these links" in text


@with_alignment
def test_ribbons_have_the_tokens_and_the_weights_of_the_alignment(open_app, recurrent, name):
    app = open_part(open_app, name, text=LONG, attending="ribbons")
    [shown] = [part for part in app.get("bidi_component") if part.proto.component_name == "alignment_stage"]
    header, arrays = read_payload(shown.proto.bytes)
    trace = recurrent[name].trace(LONG)
    np.testing.assert_allclose(arrays["cross"], trace.alignment, atol=1e-4)
    assert header["title"] == f"Alignment by {'dot products' if name == 'lstm-dot' else 'the additive score'}"
    assert [header["start"], len(header["english"])] == [trace.target_tokens[0], len(trace.source_tokens)]
    assert header["french"] == [token.strip() for token in trace.next_tokens]
    assert "something is wrong" not in check_caption(app, "in double precision")


@with_alignment
@pytest.mark.parametrize("units", ["tokens", "words"])
def test_viewer_shows_the_alignment_with_its_name_and_check(open_app, name, units):
    app = open_part(open_app, name, attending="viewer", units=units)
    title = "dot products" if name == "lstm-dot" else "the additive score"
    (grid,) = [part for part in app.get("bidi_component") if part.proto.component_name == "attention_grid"]
    assert f'"heading":"Alignment by {title}, {{map}}"'.encode() in grid.proto.bytes
    assert "Scores, weights and context vectors recomputed" in check_caption(app, "recomputed")
    assert app.get("segmented_control") or app.get("button_group")


@pytest.mark.parametrize("view", ["steps", "beside", "viewer"])
def test_every_text_of_the_other_score_is_in_the_catalogue(in_pseudo, view):
    assert (
        uncatalogued_texts(in_pseudo("history", part="attention-over-states", attending=view, score="lstm-dot")) == []
    )


@pytest.mark.nightly
def test_alignment_check_stays_in_its_bound_on_many_sentences(recurrent):
    rng = np.random.default_rng(0)
    words = ["the", "a", "I", "my", "old", "teacher", "wants", "sold", "rain", "nobody", "if", "dogs,", "12", "?"]
    for name in ("lstm-additive", "lstm-dot"):
        for _ in range(20):
            trace = recurrent[name].trace(" ".join(rng.choice(words, rng.integers(1, 40))))
            check, expected = trace.verification["cross"], recompute_first_attention(trace)
            assert max(check.max_difference, expected.difference) <= 1e-5
            assert max(check.row_sum_error, expected.row_sum_error) <= 2e-6
