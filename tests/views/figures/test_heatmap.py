"""The Plotly heatmap: its numbers, axes, mask and colours."""

import numpy as np
import pytest

from views import maps, palette
from views.figures.heatmap import HeadMap, axis_labels, heatmap, height


def head(kind: str = "cross", queries: int = 3, keys: int = 4) -> HeadMap:
    weights = np.random.default_rng(0).random((queries, keys), dtype=np.float32)
    weights[maps.masked(queries, keys, maps.KINDS[kind].causal)] = 0
    words = ("\u2009Le", "\u2009<b>", "\u2009Le", "$", "\u2009") * 40
    return HeadMap(weights, words[:queries], words[:keys], maps.KINDS[kind], "layer 1, head 2", 0.9)


def test_numbers_are_float32_and_exact():
    shown = head()
    figure = heatmap(shown, "light")
    (drawn,) = figure.data
    np.testing.assert_array_equal(np.asarray(drawn.z), shown.weights)
    assert np.asarray(drawn.z).dtype == np.float32
    assert (drawn.zmin, drawn.zmax) == (0, 0.9)
    assert "%{z:.7g}" in drawn.hovertemplate  # every digit that float32 holds


def test_axes_are_named_and_tokens_stay_apart():
    figure = heatmap(head(), "light")
    assert figure.layout.xaxis.title.text == "Key: English key token"
    assert figure.layout.yaxis.title.text == "Query: French query token"
    assert figure.layout.yaxis.autorange == "reversed"  # first query on top
    assert len(set(figure.data[0].x)) == 4
    assert list(figure.data[0].y) == ["Le", "&lt;b&gt;", "Le\u200b"]


def test_labels_are_all_different_for_any_repetition():
    labels = axis_labels(("a", "\u2009a", "a", "\u2009", "$x$"))
    assert len(set(labels)) == 5
    assert labels[3:] == ["\u2423", "&#36;x&#36;"]


def test_masked_cells_are_grey_and_nothing_else():
    shown = head("decoder", 4, 4)
    weights, mask = heatmap(shown, "dark").data
    hidden = maps.masked(4, 4, causal=True)
    np.testing.assert_array_equal(np.isnan(np.asarray(weights.z)), hidden)
    np.testing.assert_array_equal(np.isnan(np.asarray(mask.z)), ~hidden)
    assert {colour for _, colour in mask.colorscale} == {palette.MASKED["dark"]}
    assert len(heatmap(head("encoder", 4, 4), "dark").data) == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("kind", maps.KINDS)
def test_colours_are_the_kinds(kind, theme):
    drawn = heatmap(head(kind), theme).data[0]
    assert tuple(colour for _, colour in drawn.colorscale) == palette.scale(kind, theme)


def test_all_heads_of_a_sentence_are_equally_high():
    assert height(3) == height(8) < height(17) < height(130) == height(100)


def test_a_map_without_weight_still_has_a_scale():
    empty = HeadMap(np.zeros((1, 1), np.float32), ("a",), ("b",), maps.KINDS["cross"], "layer 1, head 1", 0.0)
    assert heatmap(empty, "light").data[0].zmax == 1
