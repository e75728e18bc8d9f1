"""Terms of the loss: the example of five tokens, and a gradient compared with autograd."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st

from model.networks.loss_terms import (
    logit_gradient,
    loss_terms,
    score_probabilities,
    score_target,
    smallest_loss,
    smoothed_target,
    uniform_loss,
)

# Je suis un etudiant </s>: probability of the right token, -ln p
FIVE = [(0.8, 0.223), (0.6, 0.511), (0.7, 0.357), (0.5, 0.693), (0.9, 0.105)]


def noise(positions: int, vocabulary: int, seed: int = 0) -> tuple[np.ndarray, list[int]]:
    drawn = np.random.default_rng(seed)
    return drawn.normal(0, 4, (positions, vocabulary)).astype(np.float32), drawn.integers(
        0, vocabulary, positions
    ).tolist()


def test_the_worked_five_tokens():
    scored = score_probabilities([p for p, _ in FIVE])
    terms = scored.terms
    assert scored.difference < 1e-15
    assert [round(loss, 3) for loss in terms.losses.tolist()] == [loss for _, loss in FIVE]
    assert round(terms.mean, 3) == 0.378
    assert terms.total == pytest.approx(-math.log(0.8 * 0.6 * 0.7 * 0.5 * 0.9))
    assert terms.perplexity == pytest.approx((0.8 * 0.6 * 0.7 * 0.5 * 0.9) ** (-1 / 5))
    assert terms.running_means.tolist()[:2] == pytest.approx([-math.log(0.8), -math.log(0.48) / 2])
    assert terms.running_means[-1] == terms.mean
    assert terms.shares.sum() == pytest.approx(1)
    assert terms.shares.argmax() == 3


def test_a_certain_and_correct_prediction_has_no_loss():
    terms = score_probabilities([1.0, 1.0]).terms
    assert (terms.total, terms.mean, terms.perplexity, terms.shares.tolist()) == (0, 0, 1, [0, 0])


@pytest.mark.parametrize("losses", [[], [-0.1], [math.nan]])
def test_impossible_losses_are_refused(losses):
    with pytest.raises(ValueError, match="never below 0"):
        loss_terms(losses)


@pytest.mark.parametrize("probability", [0.0, -0.1, 1.1])
def test_impossible_probabilities_are_refused(probability):
    with pytest.raises(ValueError, match="above 0 and at most at 1"):
        score_probabilities([0.5, probability])


@given(st.integers(1, 12), st.integers(2, 40), st.integers(0, 99))
def test_a_scored_target_is_torchs_cross_entropy(positions, vocabulary, seed):
    logits, targets = noise(positions, vocabulary, seed)
    scored = score_target(logits, targets)
    expected = F.cross_entropy(torch.from_numpy(logits), torch.tensor(targets), reduction="none")
    np.testing.assert_allclose(scored.terms.losses, expected, atol=1e-5)
    assert scored.difference < 1e-5
    assert scored.terms.mean == pytest.approx(expected.mean().item(), abs=1e-5)


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.9])
def test_the_smoothed_target(smoothing):
    target = smoothed_target(8, 3, smoothing)
    assert float(target.sum()) == pytest.approx(1)
    assert float(target[3]) == pytest.approx(1 - smoothing + smoothing / 8)
    assert target[[0, 1, 2, 4, 5, 6, 7]].tolist() == pytest.approx([smoothing / 8] * 7)


def test_no_prediction_has_a_smaller_smoothed_loss_than_the_target_itself():
    minimum = smallest_loss(8, 0.1)
    perfect = smoothed_target(8, 3, 0.1).log().float().numpy()[None]
    assert logit_gradient(perfect, [3], 0.1).mean == pytest.approx(minimum, abs=1e-6)
    assert smallest_loss(8, 0.0) == 0
    for seed in range(5):
        assert logit_gradient(noise(1, 8, seed)[0], [3], 0.1).mean > minimum


@given(st.integers(1, 8), st.integers(2, 30), st.sampled_from([0.0, 0.1, 0.5]), st.integers(0, 99))
def test_gradient_and_loss_are_torchs(positions, vocabulary, smoothing, seed):
    logits, targets = noise(positions, vocabulary, seed)
    result = logit_gradient(logits, targets, smoothing)
    assert result.difference < 1e-12
    np.testing.assert_allclose(result.gradient.sum(axis=1), 0, atol=1e-5)
    expected = F.cross_entropy(
        torch.from_numpy(logits), torch.tensor(targets), reduction="none", label_smoothing=smoothing
    )
    np.testing.assert_allclose(result.losses, expected, rtol=1e-5, atol=1e-5)
    plain = score_target(logits, targets).terms.mean
    assert result.mean == pytest.approx((1 - smoothing) * plain + smoothing * uniform_loss(logits))


def test_the_gradient_predicts_the_change_of_the_loss():
    logits, targets = noise(1, 6)
    result = logit_gradient(logits, targets, 0.1)
    for token in range(6):
        moved = logits.astype(np.float32).copy()
        moved[0, token] += 0.01
        slope = (logit_gradient(moved, targets, 0.1).mean - result.mean) / 0.01
        assert slope == pytest.approx(float(result.gradient[0, token]), abs=5e-3)


@pytest.mark.parametrize("smoothing", [-0.1, 1.0, math.nan])
def test_smoothing_out_of_range_is_refused(smoothing):
    with pytest.raises(ValueError, match="from 0 to below 1"):
        smoothed_target(4, 0, smoothing)
