"""The same words in two orders."""

import numpy as np
import pytest

from model import Translator
from model.lessons.word_order import compare_orders, match_tokens

FIRST = "Although I did not get 95 in last TOEFL, I could get in the Ph.D program."
SECOND = "Although I did get 95 in last TOEFL, I could not get in the Ph.D program."


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_occurrences_are_paired_in_order():
    assert match_tokens([5, 7, 5, 9], [7, 5, 5, 8]) == [(0, 1), (1, 0), (2, 2)]
    assert match_tokens([5], [6]) == []


def test_the_same_bag_has_other_inputs_and_other_outputs(translator):
    comparison = compare_orders(translator.network, translator.tokenizer, FIRST, SECOND)
    assert comparison.same_bag
    assert comparison.only == ((), ())
    ids = [translator.tokenizer.encode_source(text) for text in (FIRST, SECOND)]
    assert sorted(ids[0]) == sorted(ids[1])
    assert all(ids[0][a] == ids[1][b] for a, b in comparison.pairs)
    assert len(comparison.pairs) == len(ids[0])
    moved = np.array(comparison.moved)
    np.testing.assert_array_equal(comparison.distances[:, 0], 0)  # the same bag of embeddings
    assert (comparison.distances[moved, 1] > 0.5).all()  # other inputs
    np.testing.assert_array_equal(comparison.distances[~moved, 1], 0)
    assert (comparison.distances[:, -1] > 0.01).all()  # other outputs, even of those that did not move
    assert comparison.without_positions < 1e-4 < 0.1 < comparison.with_positions
    assert translator.translate(FIRST) != translator.translate(SECOND)


def test_another_bag_is_named(translator):
    comparison = compare_orders(translator.network, translator.tokenizer, "the cat sleeps", "the dog sleeps, the cat")
    assert not comparison.same_bag
    assert [token.strip() for token in comparison.only[0]] == []
    assert "dog" in [token.strip() for token in comparison.only[1]]
