"""Attention maps, their means, names and colour scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from views import kind_labels, map_labels, map_weights
from views.components import component
from views.text import catalogue, literal, terms


@given(st.integers(0, 10_000))
def test_ids_count_from_one_and_give_their_index_back(index):
    assert map_labels.index_of(map_labels.to_id(index)) == index and map_labels.to_id(index) == f"{index + 1}"


@pytest.mark.parametrize(
    ("count", "grid", "ids"),
    [
        (2, None, ["1", "2"]),
        (5, (2, 2), ["cls", "1-1", "1-2", "2-1", "2-2"]),
        (4, (1, 2), ["cls", "register-1", "1-1", "1-2"]),
        (2, (1, 2), ["1-1", "1-2"]),
    ],
)
def test_ids_of_positions(count, grid, ids):
    assert map_labels.position_ids(count, grid) == ids


def test_means_follow_the_heads():
    attention = np.random.default_rng(0).random((4, 8, 5, 6), dtype=np.float32)
    sheet = map_weights.with_means(attention)
    assert sheet.shape == (5, 9, 5, 6)
    assert sheet.dtype == np.float32
    np.testing.assert_array_equal(sheet[:4, :8], attention)
    np.testing.assert_allclose(sheet[:4, 8], attention.mean(axis=1), atol=1e-6)
    np.testing.assert_allclose(sheet[4, :8], attention.mean(axis=0), atol=1e-6)
    np.testing.assert_allclose(sheet[4, 8], attention.mean(axis=(0, 1)), atol=1e-6)


def test_names_and_descriptions():
    assert map_labels.ids_with_mean(2) == ["1", "2", "mean"]
    assert map_labels.describe("1", "2") == "layer 1, head 2"
    assert map_labels.describe("1", "mean") == "layer 1, mean over heads"
    assert map_labels.describe("mean", "2") == "head 2, mean over layers"
    assert map_labels.describe("mean", "mean") == "mean over all layers and heads"


def test_causal_mask_allows_the_query_itself_and_earlier_keys():
    assert map_weights.causal_mask(3, 3, causal=True).tolist() == [[0, 1, 1], [0, 0, 1], [0, 0, 0]]
    assert not map_weights.causal_mask(2, 5, causal=False).any()


def test_numbered_labels_differ_and_begin_with_a_digit():
    assert map_labels.numbered(("\u2009=SUM(A1)", "\u2009a", "\u2009a")) == ["1 =SUM(A1)", "2 a", "3 a"]


OTHERS = (*kind_labels.ALIGNMENTS.values(), kind_labels.ANY_ATTENTION, kind_labels.VISION, kind_labels.PREFIX)
PARTS = tuple(map(kind_labels.kind_named, ("cross-8-heads", "vision-2-heads", "of no name")))
WORDS = tuple(kind.of_words for kind in (*kind_labels.KINDS.values(), kind_labels.ANY_ATTENTION))
ANY = tuple(map(kind_labels.any_model_kind, (*kind_labels.KINDS, "prefix", "of no name")))


@pytest.mark.parametrize("language", catalogue.language_codes())
@pytest.mark.parametrize("kind", (*kind_labels.KINDS.values(), *OTHERS, *PARTS, *WORDS, *ANY))
def test_axis_titles_name_query_and_key_once(kind, language):
    with catalogue.using_language(language):
        titles, roles = (kind.query_axis, kind.key_axis), (terms.QUERY(), terms.KEY())
    for title, role in zip(titles, roles, strict=True):
        assert title.lower().count(role.lower()) == 1, title
        assert title[0] == title[0].upper()


def test_axis_titles_of_maps_over_a_picture_name_neither():
    titles = [title for kind in (kind_labels.GRID, kind_labels.PATCHES) for title in (kind.query_axis, kind.key_axis)]
    assert titles == ["Row of patches", "Column of patches", "Patch", "Patch"]


@pytest.mark.parametrize("kind", kind_labels.KINDS.values())
def test_only_the_decoder_is_causal(kind):
    assert kind.causal == (kind.name == "decoder")


def test_single_map_equals_that_of_with_means():
    attention = np.random.default_rng(0).random((3, 4, 5, 6)).astype(np.float32)
    sheet = map_weights.with_means(attention)
    for layer, head in np.ndindex(4, 5):
        np.testing.assert_allclose(map_weights.single_map(attention, layer, head), sheet[layer, head], atol=1e-6)


def test_a_logarithmic_shade_gives_equal_factors_equal_distances():
    weights = np.array([1, 0.1, 0.01, 1e-3, 1e-4, 1e-6, 0])
    assert map_weights.shade(weights, 1, log=True).tolist() == pytest.approx([1, 0.75, 0.5, 0.25, 0, 0, 0])
    assert map_weights.shade(weights[:2], 0.5).tolist() == pytest.approx([1, 0.2])
    assert map_weights.shade(np.zeros(1), 0.0).tolist() == [0]


LABEL = st.text("ab\u00e9\u05d0\u0628\u2192{} ", min_size=1, max_size=5).filter(str.strip)


@given(LABEL, LABEL)
def test_a_row_is_named_by_the_token_read_and_the_one_chosen(read, chosen):
    name = map_labels.row_name(f"\u2009{read}", chosen)
    assert name.replace("\u2068", "").replace("\u2069", "") == f"{read.strip(' ')} \u2192 {chosen.strip(' ')}"
    assert map_labels.row_name(read, "") == read  # only read
    assert component.labels([name]) == [name] == [literal.token(name)]  # drawing changes nothing


def test_each_token_of_a_row_keeps_its_direction():
    name = map_labels.row_name("\u0642\u0637", "\u0623\u0633\u0648\u062f")
    assert name == "\u2068\u0642\u0637\u2069 \u2192 \u2068\u0623\u0633\u0648\u062f\u2069"
    assert literal.isolated(name) == literal.visible(name) == name
    assert literal.visible("a\u2068b\u2069") == "aU+2068bU+2069"  # a typed mark is shown


def test_rows_without_chosen_tokens_have_their_labels():
    assert map_labels.row_names(("a", "b")) == ("a", "b")
    assert map_labels.row_names(("a", "b"), ("b", "")) == ("a \u2192 b", "b")
