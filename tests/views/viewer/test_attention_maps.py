"""The type with which every view begins: its axes, whole words, special tokens, layers, means and ids."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.text.words import Word, by_words
from tests.payloads import read_payload
from views.components import attention_grid, attention_lines
from views.kind_labels import CLS, KINDS, VISION, kind_named
from views.viewer.attention_maps import AttentionMaps, KindMaps, MapAxis, from_trace


@st.composite
def axes(draw: st.DrawFn, words: bool = True) -> MapAxis:
    """An axis of up to six positions, perhaps with words; a special token is a word of its own."""
    lengths = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    starts = np.cumsum([0, *lengths])
    special = [length == 1 and draw(st.booleans()) for length in lengths]
    labels = tuple(f"\u2009{place}" for place in range(starts[-1]))
    marks = tuple(mark for mark, length in zip(special, lengths, strict=True) for _ in range(length))
    spans = zip(starts, starts[1:], special, strict=False)
    runs = tuple(Word(f"word {start}", int(start), int(end), mark) for start, end, mark in spans)
    return MapAxis(labels, marks, runs if words and draw(st.booleans()) else None)


@st.composite
def maps(draw: st.DrawFn) -> KindMaps:
    """Maps of up to three layers of a deeper network, with rows that sum to 1."""
    queries, keys = draw(axes()), draw(axes())
    numbers = tuple(sorted(draw(st.sets(st.integers(0, 11), min_size=1, max_size=3))))
    shape = len(numbers), draw(st.integers(1, 3)), len(queries), len(keys)
    rng = np.random.default_rng(draw(st.integers(0, 2**16)))
    weights = rng.dirichlet(np.ones(shape[-1]), shape[:-1]).astype(np.float32)
    return KindMaps(KINDS["cross"], weights, queries, keys, numbers)


@given(maps())
def test_rows_of_whole_words_sum_to_one_and_equal_those_of_the_recipes(of_tokens):
    merged = of_tokens.in_words()
    np.testing.assert_allclose(merged.weights.sum(axis=-1), 1, atol=1e-5)
    sides = [
        side.words or [Word(label, place, place + 1) for place, label in enumerate(side.labels)]
        for side in (of_tokens.queries, of_tokens.keys)
    ]
    np.testing.assert_array_equal(merged.weights, by_words(of_tokens.weights, *sides).astype(np.float32))
    assert merged.queries.labels == tuple(word.text for word in sides[0]) or of_tokens.queries.words is None
    assert merged.units == ("words" if of_tokens.has_words else "tokens") and not merged.has_words
    assert merged.in_words() is merged


@given(maps())
def test_without_special_tokens_the_rest_keeps_its_weights(whole):
    shown = whole.without_special()
    if not shown.special_hidden:  # nothing else was there
        assert shown is whole and not (whole.queries.ordinary_places and whole.keys.ordinary_places)
        return
    assert not shown.queries.special_places and not shown.keys.special_places
    for row, query in enumerate(whole.queries.ordinary_places):
        np.testing.assert_array_equal(
            shown.weights[:, :, row], whole.weights[:, :, query][:, :, whole.keys.ordinary_places]
        )
    hidden = whole.weights[:, :, whole.queries.ordinary_places][:, :, :, whole.keys.special_places]
    np.testing.assert_allclose(shown.hidden_share, hidden.sum(axis=-1).mean(axis=-1), atol=1e-5)


@given(maps())
def test_means_are_those_of_the_heads_and_layers(whole):
    sheet = whole.with_means()
    np.testing.assert_allclose(whole.mean(layer=0), whole.weights[0].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(whole.mean(head=0), whole.weights[:, 0].mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(whole.mean(), whole.weights.mean(axis=(0, 1)), atol=1e-6)
    np.testing.assert_array_equal(whole.mean(layer=0, head=0), whole.weights[0, 0])
    assert sheet.shape == (len(whole.layer_ids), len(whole.head_ids), *whole.weights.shape[2:])
    for row, layer in enumerate(whole.layer_ids):
        for column, head in enumerate(whole.head_ids):
            np.testing.assert_allclose(whole.mean(*whole.place(layer, head)), sheet[row, column], atol=1e-6)


@given(maps(), st.data())
def test_ids_count_from_one_and_name_their_place(whole, data):
    layers, heads = whole.weights.shape[:2]
    place = data.draw(st.tuples(st.sampled_from([None, *range(layers)]), st.sampled_from([None, *range(heads)])))
    layer, head = whole.ids(place)
    assert whole.place(layer, head) == place
    assert layer == ("mean" if place[0] is None else str(whole.layer_numbers[place[0]] + 1))
    assert head == ("mean" if place[1] is None else str(place[1] + 1))


@given(maps(), st.sets(st.integers(0, 11)))
def test_layers_are_selected_by_their_numbers_in_the_network(whole, numbers):
    selected = whole.layers(sorted(numbers))
    assert selected.layer_numbers == tuple(number for number in whole.layer_numbers if number in numbers)
    for layer, number in enumerate(selected.layer_numbers):
        np.testing.assert_array_equal(selected.weights[layer], whole.weights[whole.layer_numbers.index(number)])
    assert list(AttentionMaps({"cross": whole}).layers(sorted(numbers))) == ["cross"] * bool(selected.layer_numbers)


def test_words_and_special_tokens_of_several_kinds():
    source = MapAxis(("un", "like", "</s>"), (False, False, True), (Word("unlike", 0, 2), Word("</s>", 2, 3, True)))
    target = MapAxis(("<s>", "a"), (True, False))
    maps = AttentionMaps(
        {
            "encoder": KindMaps(KINDS["encoder"], np.full((1, 1, 3, 3), 1 / 3, np.float32), source, source, (0,)),
            "cross": KindMaps(KINDS["cross"], np.full((1, 1, 2, 3), 1 / 3, np.float32), target, source, (0,)),
        }
    )
    shown = maps.in_words().without_special()
    assert [(each.queries.labels, each.keys.labels) for each in shown.values()] == [
        (("unlike",), ("unlike",)),
        (("a",), ("unlike",)),
    ]
    np.testing.assert_allclose([mean.item() for mean in shown.mean().values()], [2 / 3, 2 / 3], rtol=1e-6)
    assert shown["encoder"].kind.query_axis == "English query word"
    assert (maps.has_words, maps.has_special, shown.has_words, shown.has_special) == (True, True, False, False)
    assert list(maps.select(["cross"])) == ["cross"] and maps.weight_count == 4 * 9 + 4 * 6


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"special": (True,)}, "There are 1 marks for 3 labels"),
        ({"words": (Word("a", 0, 1), Word("b", 2, 3))}, "do not cover"),
        ({"words": (Word("a", 0, 2),)}, "do not cover"),
    ],
)
def test_marks_that_do_not_fit_an_axis_are_refused(change, message):
    with pytest.raises(ValueError, match=message):
        MapAxis(("a", "b", "c"), **change)


def test_weights_that_do_not_fit_their_axes_are_refused():
    axis = MapAxis(("a", "b"))
    with pytest.raises(ValueError, match=r"\(1, 2, 2, 3\) do not fit 1 layers, 2 queries and 2 keys"):
        KindMaps(KINDS["cross"], np.zeros((1, 2, 2, 3)), axis, axis, (0,))


def trace(weights: np.ndarray, **more) -> SimpleNamespace:
    labels = tuple(f"piece {place}" for place in range(weights.shape[-1] - 1)) + ("</s>",)
    return SimpleNamespace(records={"x": SimpleNamespace(weights=weights)}, axes=lambda kind: (labels, labels), **more)


def test_a_trace_without_marks_has_those_of_known_names():
    weights = np.full((2, 3, 4, 4), 0.25, np.float32)
    maps = from_trace(trace(weights), {"x": kind_named("x")})["x"]
    assert maps.weights is weights and maps.layer_numbers == (0, 1)
    assert (maps.queries.special_places, maps.has_words, maps.units) == ([3], False, "tokens")


@pytest.mark.parametrize(("leading", "trailing"), [(0, 0), (1, 0), (2, 1)])
def test_positions_of_a_picture_are_named_by_row_and_column(leading: int, trailing: int):
    count = leading + 4 + trailing
    weights = np.full((1, 1, count, count), 1 / count, np.float32)
    maps = from_trace(trace(weights, grid=(2, 2), trailing=trailing), {"x": VISION})
    (of_patches,) = maps.values()
    labels = of_patches.queries.labels
    assert labels[:leading] == (CLS, "register 1")[:leading] and maps.grid == (2, 2)
    assert labels[leading : leading + 4] == tuple(f"row {r}, column {c}" for r in (1, 2) for c in (1, 2))
    assert labels[leading + 4 :] == ("token 1 after the patches",)[:trailing]
    assert of_patches.units == "positions" and of_patches.queries.special_places == [0] * bool(leading)


def decoder_maps() -> KindMaps:
    """Decoder self-attention over `<s>` and the words "chat", in two tokens, and "noir"."""
    read, chosen = ("<s>", " ch", "at", " noir"), (" ch", "at", " noir", "</s>")
    words = (Word("<s>", 0, 1, True), Word("chat", 1, 3), Word("noir", 3, 4))
    special = True, False, False, False
    queries = MapAxis(read, special, words, chosen=chosen, kept=(0,))
    weights = np.tril(np.ones((1, 1, 4, 4), np.float32)) / np.arange(1, 5, dtype=np.float32)[:, None]
    return KindMaps(KINDS["decoder"], weights, queries, MapAxis(read, special, words), (0,))


def test_the_row_at_which_the_first_word_is_chosen_stays_without_special_tokens():
    maps = decoder_maps()
    assert maps.is_square and maps.queries.names[2] == "at \u2192 noir"
    hidden = maps.without_special()
    assert hidden.queries.names == ("<s> \u2192 ch", "ch \u2192 at", "at \u2192 noir", "noir \u2192 </s>")
    assert hidden.keys.names == (" ch", "at", " noir") and not hidden.is_square
    np.testing.assert_array_equal(hidden.masked, np.triu(np.ones((4, 4), bool), 1)[:, 1:])
    assert not hidden.weights[0, 0][hidden.masked].any() and hidden.weights[0, 0][~hidden.masked].all()
    assert attention_lines.numbered_queries(maps) == [0, 1, 2, 3]
    assert attention_lines.numbered_queries(hidden) == [1, 2, 3, 0]  # the others have the numbers of earlier versions


def test_a_word_has_the_tokens_that_its_own_chose():
    words = decoder_maps().in_words()
    assert words.queries.names == ("<s> \u2192 ch", "chat \u2192 at noir", "noir \u2192 </s>")
    assert words.without_special().queries.names == words.queries.names


def test_masked_cells_are_sent_where_rows_and_columns_are_at_other_places():
    hidden = decoder_maps().without_special()
    view = attention_lines.LinesView((0,), (0,))
    header, arrays = read_payload(attention_lines.payload(attention_lines.AttentionLines(hidden, view), "light"))
    assert header["kinds"][""]["positions"] == [[0, 1, 2, 3], [1, 2, 3]]
    np.testing.assert_allclose(arrays[""], hidden.weights, atol=1e-6)
    sheet = attention_grid.sheet_of(hidden)
    header, arrays = read_payload(attention_grid.payload(sheet, "light"))
    assert header["kinds"][""]["read"] == ["<s>", "ch", "at", "noir"]
    np.testing.assert_allclose(arrays[""], hidden.weights, atol=1e-6)


def test_chosen_tokens_are_one_for_each_position():
    with pytest.raises(ValueError, match="There are 1 chosen tokens for 2 labels; give one for each"):
        MapAxis(("a", "b"), chosen=("b",))
