"""Scores of single dimensions, on vectors whose scores can be counted."""

import numpy as np
import pytest
import torch

from model import Translator
from model.lessons.single_dimensions import CONTRASTS, auc, look_up_pairs, separate


def test_an_auc_counts_how_often_the_first_is_larger():
    """First kind 3 and 1, second 2 and 0: the first is larger in three of four pairs; equal numbers count half."""
    vectors = np.array([[[3.0, 1, 5], [2, 1, 0]], [[1, 1, 5], [0, 1, 0]]])
    np.testing.assert_array_equal(auc(torch.from_numpy(vectors)), [0.75, 0.5, 1.0])


def test_an_auc_is_the_sum_of_ranks_of_mann_and_whitney():
    vectors = np.random.default_rng(1).integers(0, 9, size=(7, 2, 40)).astype(np.float64)  # with equal numbers
    first, both = vectors[:, 0], np.concatenate([vectors[:, 0], vectors[:, 1]])
    below = (both[None] < first[:, None]).sum(axis=1) + 0.5 * ((both[None] == first[:, None]).sum(axis=1) - 1)
    expected = (below.sum(axis=0) - 7 * 6 / 2) / 7**2
    np.testing.assert_allclose(auc(torch.from_numpy(vectors)), expected, atol=1e-12)


def test_one_half_chooses_a_dimension_and_the_other_scores_it():
    words = tuple((f"a{place}", f"b{place}") for place in range(8))
    vectors = np.random.default_rng(0).normal(size=(8, 2, 5))
    vectors[:, 1, 3] = vectors[:, 0, 3].min() + np.arange(8)
    vectors[:, 0, 3] = vectors[:, 1, 3].min() - 1 - np.arange(8)  # the first kind is always smaller here
    dimensions = separate(words, vectors)
    assert (dimensions.best, dimensions.chosen[3], dimensions.held_out[3]) == (3, 0.0, 1.0)
    assert dimensions.difference() == 0
    vectors[1::2, 0, 3], vectors[1::2, 1, 3] = vectors[1::2, 1, 3].copy(), vectors[1::2, 0, 3].copy()
    assert separate(words, vectors).held_out[3] == 0  # the half that scores has the opposite order


@pytest.mark.parametrize("contrast", CONTRASTS)
def test_words_are_single_tokens_and_in_one_half(contrast):
    translator = Translator.load(device="cpu")
    dimensions = look_up_pairs(translator.network, translator.tokenizer, CONTRASTS[contrast])
    first, second = ({word for pair in dimensions.words[half::2] for word in pair} for half in (0, 1))
    assert not first & second and len(dimensions.words) >= 30
    assert all(len(translator.tokenizer.encode(word)) == 1 for word in first | second)
    assert dimensions.difference() < 1e-12 and 0.5 <= dimensions.together <= 1


def test_too_few_words_are_refused():
    translator = Translator.load(device="cpu")
    with pytest.raises(ValueError, match="Only 1 pairs are single tokens"):
        look_up_pairs(translator.network, translator.tokenizer, [("days", "day"), ("xqzxqz", "qqq")])
