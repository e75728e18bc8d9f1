"""Mask patterns, their effect on a target, and exact causality."""

import math

import numpy as np
import pytest
import torch

from model.lessons.masking import PATTERNS, check_causality, mask_pattern, measure_mask_effect
from model.networks.losses import token_cross_entropy


def test_masks_of_the_patterns():
    assert mask_pattern("causal", 3).tolist() == [[True, False, False], [True, True, False], [True, True, True]]
    assert mask_pattern("none", 2).all()
    assert mask_pattern("window", 4, 2).astype(int).tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    assert mask_pattern("prefix", 4, 2).astype(int).tolist() == [[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]


@pytest.mark.parametrize("name", PATTERNS)
@pytest.mark.parametrize("size", [1, 2, 50])
def test_every_query_of_a_pattern_has_a_key(name, size):
    assert mask_pattern(name, 7, size).any(axis=1).all()


@pytest.mark.parametrize(("name", "size"), [("diagonal", 1), ("window", 0)])
def test_an_unknown_pattern_is_refused(name, size):
    with pytest.raises(ValueError):
        mask_pattern(name, 3, size)


def test_the_causal_mask_changes_nothing(network, trace):
    effect = measure_mask_effect(network, trace, mask_pattern("causal", len(trace.target_ids)), [0, 1]).head(1, 1)
    np.testing.assert_array_equal(effect.weights, trace.decoder_attention[1, 1])
    np.testing.assert_array_equal(effect.scores, trace.records["decoder"].scores[1, 1])
    expected = token_cross_entropy(torch.from_numpy(trace.logits), torch.tensor(trace.next_ids)).numpy()
    np.testing.assert_allclose(effect.losses, expected, atol=1e-5)
    assert effect.loss == pytest.approx(float(expected.mean()), abs=1e-5)
    assert effect.masked_weight == 0
    rows = trace.predictions(1)
    assert list(effect.best) == [row.top[0].token for row in rows]
    np.testing.assert_allclose(effect.best_probability, [row.top[0].probability for row in rows], atol=1e-5)
    np.testing.assert_allclose(effect.probabilities, [row.probability for row in rows], atol=1e-5)


def test_masked_scores_are_minus_infinity_and_the_others_unchanged(network, trace):
    allowed = mask_pattern("window", len(trace.target_ids), 2)
    effect = measure_mask_effect(network, trace, allowed, [0, 1]).head(0, 1)
    np.testing.assert_array_equal(effect.allowed, allowed)
    assert (effect.masked_scores[~allowed] == -math.inf).all()
    np.testing.assert_array_equal(effect.masked_scores[allowed], effect.scores[allowed])
    exponentials = np.exp(effect.masked_scores.astype(np.float64))
    np.testing.assert_allclose(effect.weights, exponentials / exponentials.sum(-1, keepdims=True), atol=1e-6)
    assert (effect.weights[~allowed] == 0).all()


def test_a_mask_in_one_layer_does_not_change_the_layers_before_it(network, trace):
    allowed = mask_pattern("none", len(trace.target_ids))
    first = measure_mask_effect(network, trace, allowed, [1]).head(0, 0)
    np.testing.assert_array_equal(first.weights, trace.decoder_attention[0, 0])
    second = measure_mask_effect(network, trace, allowed, [1]).head(1, 0)
    assert second.weights[0, -1] > 0
    assert second.allowed.all()


def test_masks_that_cannot_be_used_are_refused(network, trace):
    length = len(trace.target_ids)
    empty_row = mask_pattern("causal", length)
    empty_row[2] = False
    with pytest.raises(ValueError, match="without any key"):
        measure_mask_effect(network, trace, empty_row, [0])
    with pytest.raises(ValueError, match="needs"):
        measure_mask_effect(network, trace, mask_pattern("causal", length + 1), [0])


def test_changing_a_later_token_changes_nothing_before_it_unless_the_mask_is_off(network, trace):
    length = len(trace.target_ids)
    position, other = length - 2, 5 if trace.target_ids[length - 2] != 5 else 6
    causal, none = check_causality(
        network, trace, position, other, [mask_pattern("causal", length), mask_pattern("none", length)]
    )
    assert causal.shape == none.shape == (3, length)
    assert (causal[:, :position] == 0).all()
    assert (causal[:, position] > 1e-3).all()
    assert (none[0, :position] == 0).all()  # the embedding of a token depends on no other token
    assert (none[1:, :position] > 1e-6).all()


def test_a_window_limits_how_far_a_change_reaches(network, trace):
    length = len(trace.target_ids)
    (reach,) = check_causality(network, trace, 1, 5, [mask_pattern("window", length, 2)])
    # one layer passes a change on by one position, two layers by two
    assert (reach[1, 3:] == 0).all() and reach[1, 2] > 0
    assert (reach[2, 4:] == 0).all() and reach[2, 3] > 0


def test_a_position_outside_the_target_is_refused(network, trace):
    with pytest.raises(ValueError, match="no position"):
        check_causality(network, trace, len(trace.target_ids), 5, [])
