"""Scores of the first attention, compared with their formulas number by number."""

import math

import pytest
import torch

from model.networks.alignment import AdditiveAlignment, DotAlignment, context_vectors
from model.networks.tap import Intervention, Recorder


def random_tensor(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_the_additive_score_is_that_of_its_formula():
    torch.manual_seed(0)
    alignment = AdditiveAlignment(4, 6, 3).requires_grad_(False)
    queries, keys = random_tensor(2, 3, 4), random_tensor(2, 5, 6, seed=1)
    result = alignment.scores(queries, keys, alignment.project(keys))
    w, b, u, v = alignment.query.weight, alignment.query.bias, alignment.key.weight, alignment.score.weight[0]
    assert result.shape == (2, 3, 5)
    for row in range(2):
        for query in range(3):
            for key in range(5):
                expected = v @ torch.tanh(w @ queries[row, query] + b + u @ keys[row, key])
                assert result[row, query, key] == pytest.approx(float(expected), abs=1e-6)


def test_the_dot_score_is_the_inner_product_without_scaling():
    alignment = DotAlignment()
    queries, keys = random_tensor(2, 3, 4), random_tensor(2, 5, 4, seed=1)
    result = alignment.scores(queries, keys, alignment.project(keys))
    torch.testing.assert_close(result, torch.einsum("bqd,bkd->bqk", queries, keys))
    assert not list(alignment.parameters())


def test_context_vectors_are_weighted_means_with_a_tap_and_without():
    scores, values = random_tensor(2, 3, 5), random_tensor(2, 5, 4, seed=1)
    allowed = torch.tensor([[True] * 5, [True, True, False, False, False]])[:, None, None]
    recorder = Recorder()
    tapped = context_vectors(scores, values, allowed, recorder, "decoder.0.cross")
    torch.testing.assert_close(tapped, context_vectors(scores, values, allowed))
    weights = recorder.tensors["decoder.0.cross.weights"]
    assert weights.shape == (2, 1, 3, 5) and not weights[1, :, :, 2:].any()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 1, 3))
    shares = [math.exp(score) for score in scores[1, 0, :2].tolist()]
    expected = (shares[0] * values[1, 0] + shares[1] * values[1, 1]) / sum(shares)
    torch.testing.assert_close(tapped[1, 0], expected)
    steps = {f"decoder.0.cross.{step}" for step in ("scores", "mask", "weights", "outputs")}
    assert recorder.tensors.keys() == steps


def test_the_tap_can_change_scores_weights_and_context_vectors():
    scores, values = random_tensor(1, 2, 5), random_tensor(1, 5, 4, seed=1)
    sharp = Intervention({"cross.scores": lambda scores: scores / 1e-4})
    best = scores[0].argmax(dim=-1)
    torch.testing.assert_close(context_vectors(scores, values, None, sharp)[0], values[0, best])
    last = Intervention({"cross.weights": lambda weights: torch.eye(5)[-1].expand_as(weights)})
    torch.testing.assert_close(context_vectors(scores, values, None, last)[0], values[0, -1:].expand(2, -1))
