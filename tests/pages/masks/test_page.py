"""The Masks page: it shows the model's output under the mask; bad input gets one sentence."""

import html
import json
import re

import numpy as np
import pytest

from model.lessons.masking import check_causality, mask_pattern, measure_mask_effect
from model.lessons.padding_batches import measure_padding_effect, pad_sequences
from pages.masks.padding_batches import IDS
from tests.pages.charts import check_caption
from tests.pages.conftest import html_of
from tests.pages.drawn import matrices, metrics
from tests.pages.reading import table
from tests.pages.stepped import read_step_view
from views import map_labels
from views.controls import painted
from views.text import literal
from views.text.numbers import three_digits


def test_the_chosen_head_before_with_infinity_and_after(open_app, translator, trace):
    app = open_app("masks", mask="window", pieces="2", layer="2", head="3")
    drawn = matrices(app)
    side = len(trace.target_ids)
    effect = measure_mask_effect(translator.network, trace, mask_pattern("window", side, 2), range(4)).head(1, 2)
    np.testing.assert_array_equal(drawn["Allowed"][1], mask_pattern("window", side, 2))
    np.testing.assert_allclose(drawn["1 Scores"][1], effect.scores, atol=1e-4)
    np.testing.assert_allclose(drawn["2 With \u2212\u221e"][1], effect.masked_scores, atol=1e-4)
    weights = drawn["3 Weights"][1]
    np.testing.assert_allclose(weights[effect.allowed], effect.weights[effect.allowed], atol=1e-5)
    assert np.isneginf(weights[~effect.allowed]).all()
    numbers = metrics(app)
    assert numbers["Loss, this mask"] == three_digits(effect.loss)
    assert float(numbers["Loss, causal mask"]) < float(numbers["Loss, this mask"])
    line = check_caption(app, "masked scores")
    assert float(re.search(r"difference ([\d.e-]+)\.", line)[1]) < 1e-6
    assert line.endswith("key: 0.")


def test_mask_in_one_layer_has_a_smaller_effect(open_app):
    everywhere = metrics(open_app("masks", mask="window", pieces="1"))
    once = metrics(open_app("masks", mask="window", pieces="1", where="2"))
    assert float(once["Loss, this mask"]) < float(everywhere["Loss, this mask"])
    assert metrics(open_app("masks"))["Change"] == "0"


def test_paint_is_read_from_the_link_and_removed_with_the_sentence(open_app, trace):
    side = len(trace.target_ids)
    changed = np.zeros((side, side), dtype=bool)
    changed[1, 4] = changed[3, 0] = True
    app = open_app("masks", painted=painted.encode(changed))
    allowed = mask_pattern("causal", side) ^ changed
    np.testing.assert_array_equal(matrices(app)["Allowed"][1], allowed)
    np.testing.assert_array_equal(np.isneginf(matrices(app)["3 Weights"][1]), ~allowed)
    app.text_input(key="text").set_value("We would rather stay at home tonight.").run()
    assert not app.exception
    longer = len(matrices(app)["Allowed"][1])
    np.testing.assert_array_equal(matrices(app)["Allowed"][1], mask_pattern("causal", longer))


def test_query_without_a_key_gets_one_sentence(open_app, trace):
    side = len(trace.target_ids)
    changed = np.zeros((side, side), dtype=bool)
    changed[0, 0] = True
    app = open_app("masks", painted=painted.encode(changed))
    assert len(app.warning) == 1 and "no key left" in app.warning[0].value
    assert list(matrices(app)) == ["Allowed"]  # so that the mask can be corrected


def test_row_in_numbers_equals_the_matrix_row(open_app):
    app = open_app("masks", query="2")
    _, numbers = read_step_view(app)
    drawn = matrices(app)
    for name, title in {"score": "1 Scores", "masked": "2 With \u2212\u221e", "weight": "3 Weights"}.items():
        expected = np.where(np.isfinite(drawn[title][1]), drawn[title][1], np.nan if name == "masked" else 0)
        np.testing.assert_allclose(numbers[name], expected, atol=1e-5)
    assert json.loads(html.unescape(re.search(r'data-chosen="([^"]*query[^"]*)"', html_of(app))[1])) == {"query": 1}


def test_causality(open_app, translator, trace):
    app = open_app("masks", masks="causality", change="4")
    drawn = matrices(app)
    with_mask, without = drawn["With the causal mask"][1], drawn["Without a mask"][1]
    assert (with_mask[:, :3] == 0).all() and with_mask[:, 3].all()
    assert (without[1:, :3] > 0).all()
    rival = next(c.id for c in trace.predictions(6)[2].top if c.id != trace.target_ids[3])
    side = len(trace.target_ids)
    expected = check_causality(translator.network, trace, 3, rival, [mask_pattern("none", side)])[0]
    np.testing.assert_allclose(without, expected, atol=1e-4)
    assert metrics(app)["Largest change before that place, causal mask"] == "0"
    tokens = list(trace.target_tokens)
    tokens[3] = trace.tokenizer.labels([rival])[0]
    labels = map_labels.numbered(tokens)
    for title in ("With the causal mask", "Without a mask"):  # the token that the decoder read, not the one before
        assert drawn[title][0]["columns"] == [literal.token(token) for token in tokens]
    assert [row[0] for row in table(app, "Changes by position")[1:]] == labels
    app.text_input(key="text").set_value("Yes.").run()  # which has no place 4
    assert not app.exception


def test_padding_on_the_tutorials_batch(open_app, translator):
    app = open_app("masks", masks="padding", layer="1", head="2", sequence="4")
    lengths = [16, 5, 11, 2, 4, 5, 1, 20, 16, 14]
    drawn = matrices(app)
    header, ids = drawn["Ids"]
    assert ids.shape == (10, 20)
    assert np.isfinite(ids).sum(axis=1).tolist() == lengths
    assert header["masked"][0] == "0"
    rows = [list(map(int, line.split())) for line in IDS.splitlines()]
    np.testing.assert_array_equal(np.where(np.isfinite(ids), ids, 0), pad_sequences(rows).ids)
    effect = measure_padding_effect(translator.network, pad_sequences(rows))
    numbers = metrics(app)
    assert numbers["Largest weight on padding, with the mask"] == "0"
    assert numbers["Largest share of attention on padding, without"] == three_digits(float(effect.without_mask[0, 1]))
    np.testing.assert_allclose(drawn["Weights without it"][1], effect.unmasked[0, 1, 3], atol=1e-5)
    assert np.isneginf(drawn["Weights with the padding mask"][1][:, 2:]).all()
    assert drawn["Both: the decoder\u2019s target"][1].sum() == 1 + 2 * 19


def test_batches_of_typed_ids_and_of_typed_lengths(open_app, translator):
    app = open_app("masks", masks="padding")
    app.text_area(key="ids").set_value("1 3 7\n\n 2 ").run()
    np.testing.assert_array_equal(matrices(app)["Ids"][1], [[1, 3, 7], [2, -np.inf, -np.inf]])
    again = open_app("masks", masks="padding", ids=app.query_params["ids"])
    np.testing.assert_array_equal(matrices(again)["Ids"][1], matrices(app)["Ids"][1])
    older = open_app("masks", masks="padding", lengths="2 1")
    np.testing.assert_array_equal(np.isfinite(matrices(older)["Ids"][1]), [[True, True], [True, False]])
    app = open_app("masks", masks="padding")
    app.button(key="try-masks-padding").click().run()
    assert matrices(app)["Ids"][1].shape == (4, 8)


@pytest.mark.parametrize(
    "ids",
    [
        "[[62, 13, 47, 39], [60]]",
        "data = [\n[62, 13, 47, 39],\n[60],\n]",
        "[62,\n13,\n47,\n39],\n[60]",
        "[62, 13, 47, 39]\n60",
        "[tensor([62, 13, 47, 39]), tensor([60])]",
        "62 13 47 39; 60",
    ],
)
def test_pasted_batches(open_app, ids):
    app = open_app("masks", masks="padding", ids=ids)
    np.testing.assert_array_equal(matrices(app)["Ids"][1], [[62, 13, 47, 39], [60, *[-np.inf] * 3]])


@pytest.mark.parametrize("lengths", ["[4, 1]", "(4, 1)", "torch.Size([4, 1])", "tensor([4, 1])"])
def test_pasted_lengths(open_app, lengths):
    app = open_app("masks", masks="padding", batch="lengths", lengths=lengths)
    np.testing.assert_array_equal(np.isfinite(matrices(app)["Ids"][1]).sum(axis=1), [4, 1])


@pytest.mark.parametrize("ids", ["", "[[1], []]", "[0, 4]", "0 4", "100", "a", "1 " * 41, "1\n" * 17, "<b>3</b>", "-1"])
def test_invalid_ids_get_one_sentence(open_app, ids):
    app = open_app("masks", masks="padding")
    app.text_area(key="ids").set_value(ids).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert "<b>" not in app.warning[0].value


@pytest.mark.parametrize("lengths", ["", "a b", "0", "3 -1", "41", "1 " * 17, "\u0663", "<b>3</b>", "9" * 50])
def test_invalid_lengths_get_one_sentence(open_app, lengths):
    app = open_app("masks", masks="padding", batch="lengths")
    app.text_input(key="lengths").set_value(lengths).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert "<b>" not in app.warning[0].value


def test_old_addresses_select_the_same(open_app, translator, trace):
    rival = trace.predictions(6)[2].top[3]
    app = open_app("masks", masks="Causality", change="4", replacement=literal.token(rival.token))
    assert app.selectbox(key="replacement").value == str(rival.id) != str(trace.target_ids[3])
    assert app.query_params["replacement"] == str(rival.id)


def test_nonsense_in_the_address_falls_back(open_app):
    nonsense = {"masks": "x", "mask": "y", "pieces": "-3", "where": "9", "layer": "mean", "head": "0", "query": "999"}
    app = open_app("masks", painted="5-!!", **nonsense)
    assert not app.warning
    assert metrics(app)["Change"] == "0"
    assert not open_app("masks", masks="causality", change="999", replacement="?", lengths="zz").exception
    assert not open_app("masks", masks="padding", sequence="77").warning


@pytest.mark.parametrize("part", ["your-sentence", "causality"])
@pytest.mark.parametrize("text", ["", "car " * 240])
def test_bad_input_gets_one_sentence(open_app, part, text):
    app = open_app("masks", masks=part)
    app.text_input(key="text").set_value(text).run()
    assert not app.exception
    assert len(app.warning) == 1
    assert not matrices(app)


@pytest.mark.parametrize("text", ["<b>a</b> $x$ **y** :smile:", "a " * 120, "!"])
@pytest.mark.parametrize("part", ["your-sentence", "causality"])
def test_unusual_and_long_sentences(open_app, part, text):
    app = open_app("masks", masks=part, text=text)
    assert not app.exception
    assert "<b>" not in html_of(app)
