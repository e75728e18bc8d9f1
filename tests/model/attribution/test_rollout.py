"""Rollout and gradient relevance match their papers; gradients match finite differences."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from model.attribution.rollout import (
    FUSIONS,
    ClassGradients,
    accumulate_relevance,
    check_rollout,
    class_gradients,
    rollout,
    slope_along,
    weigh_by_gradient,
)
from model.networks.tap import Intervention
from tests.model.images import noise, tiny_vision


def softmax_rows(logits: np.ndarray) -> np.ndarray:
    exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


def random_attention(seed: int, layers: int = 3, heads: int = 2, size: int = 5, sharpness: float = 3.0) -> np.ndarray:
    return softmax_rows(np.random.default_rng(seed).normal(size=(layers, heads, size, size)) * sharpness)


def rollout_by_paths(attention: np.ndarray, fusion: str) -> np.ndarray:
    """The last layer's rollout as a sum over every path through the layers, entry by entry and in plain Python."""
    choose = {"mean": lambda values: sum(values) / len(values), "max": max, "min": min}[fusion]
    layers, _, size, _ = attention.shape
    steps = []
    for layer in range(layers):
        step = np.zeros((size, size))
        for query in range(size):
            row = [choose([float(head[query, key]) for head in attention[layer]]) for key in range(size)]
            total = sum(row)
            for key in range(size):
                share = row[key] / total if total else float(query == key)
                step[query, key] = 0.5 * share + 0.5 * (query == key)
        steps.append(step)

    def path_sum(layer: int, query: int) -> np.ndarray:
        if layer < 0:
            return np.eye(size)[query]
        return sum(steps[layer][query, key] * path_sum(layer - 1, key) for key in range(size))

    return np.array([path_sum(layers - 1, query) for query in range(size)])


@pytest.mark.parametrize("fusion", FUSIONS)
def test_rollout_is_the_sum_over_all_paths(fusion):
    attention = random_attention(1)
    result = rollout(attention, fusion)
    for layer in range(3):
        np.testing.assert_allclose(result[layer], rollout_by_paths(attention[: layer + 1], fusion), atol=1e-12)


def test_rollout_by_hand():
    # Two positions: both attend to position 1, in both layers. Half stays, half moves, twice.
    attention = np.broadcast_to(np.array([[0.0, 1.0], [0.0, 1.0]]), (2, 3, 2, 2))
    np.testing.assert_allclose(rollout(attention), [[[0.5, 0.5], [0, 1]], [[0.25, 0.75], [0, 1]]])


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 4),
    st.integers(1, 4),
    st.integers(1, 8),
    st.floats(0, 300),
    st.sampled_from(FUSIONS),
)
def test_every_row_of_every_rollout_sums_to_one(seed, layers, heads, size, sharpness, fusion):
    attention = random_attention(seed, layers, heads, size, sharpness)
    result = rollout(attention.astype(np.float32), fusion)
    assert result.shape == (layers, size, size)
    assert (result >= 0).all()
    np.testing.assert_allclose(result.sum(axis=-1), 1, atol=1e-12)
    check = check_rollout(attention.astype(np.float32), fusion, position=size - 1)
    assert max(check.row_sum_error, check.max_difference) < 1e-12


def test_the_minimum_of_disjoint_heads_is_empty():
    attention = np.stack([np.eye(3), np.roll(np.eye(3), 1, axis=1)])[None]  # disjoint one-hot heads: min is 0
    np.testing.assert_array_equal(rollout(attention, "min")[0], np.eye(3))


def test_the_check_detects_a_wrong_rollout(monkeypatch):
    attention = random_attention(2).astype(np.float32)
    monkeypatch.setattr(
        "model.attribution.rollout.rollout", lambda attention, fusion: np.swapaxes(rollout(attention), 1, 2)
    )
    check = check_rollout(attention)
    assert check.row_sum_error > 1e-3 and check.max_difference > 1e-3


def test_an_unknown_fusion_is_refused():
    with pytest.raises(ValueError, match="no fusion 'median'; choose one of mean, max, min"):
        rollout(random_attention(0), "median")


def test_relevance_by_hand():
    # One head; gradient x weight is [[0.5, -1], [0, 2]], whose positive part is A.
    weights = torch.tensor([[[0.5, 0.5], [0.0, 1.0]]])
    gradients = torch.tensor([[[1.0, -2.0], [7.0, 2.0]]])
    # R1 = I + A = [[1.5, 0], [0, 3]]; R2 = R1 + A R1 = [[1.5 + 0.75, 0], [0, 3 + 6]]
    result = accumulate_relevance([weigh_by_gradient(weights, gradients)] * 2)
    torch.testing.assert_close(result, torch.tensor([[2.25, 0.0], [0.0, 9.0]]))


def test_relevance_averages_heads_after_taking_the_positive_part():
    weights = torch.ones(2, 1, 1)
    gradients = torch.tensor([[[4.0]], [[-4.0]]])
    result = accumulate_relevance([weigh_by_gradient(weights, gradients)])
    torch.testing.assert_close(result, torch.tensor([[3.0]]))  # 1 + (4 + 0) / 2


@pytest.fixture(scope="module")
def double_precision():
    """The tiny network in double precision, a picture, and the gradients of its second class."""
    network = tiny_vision().double().requires_grad_(False)
    pixels = torch.from_numpy(noise(3, 12, 12)).double() * 2 - 1
    return network, pixels, class_gradients(network, pixels, 1)


def add_to_weight(layer: int, head: int, query: int, key: int, by: float) -> Intervention:
    def change(weights: torch.Tensor) -> torch.Tensor:
        weights = weights.clone()
        weights[:, head, query, key] += by
        return weights

    return Intervention({f"vision.{layer}.self.weights": change})


@torch.inference_mode()
def test_attention_gradients_are_those_that_finite_differences_measure(double_precision):
    network, pixels, gradients = double_precision
    assert gradients.weights.shape == gradients.gradients.shape == (2, 2, 10, 10)
    step = 1e-5
    measured = torch.zeros_like(gradients.gradients)
    for layer, head, query, key in np.ndindex(2, 2, 10, 10):
        up, down = (network(pixels[None], add_to_weight(layer, head, query, key, by))[0, 1] for by in (step, -step))
        measured[layer, head, query, key] = (up - down) / (2 * step)
    torch.testing.assert_close(gradients.gradients, measured, atol=1e-8, rtol=1e-6)
    assert gradients.gradients[0].abs().min() > 0
    assert (gradients.gradients[1, :, 1:] == 0).all()  # after the last layer only CLS is read
    torch.testing.assert_close(
        torch.from_numpy(gradients.relevance()),
        torch.from_numpy(ClassGradients(gradients.weights, measured, gradients.pixels).relevance()),
        atol=1e-6,
        rtol=1e-5,
    )


@torch.inference_mode()
def test_raw_gradients_are_those_that_finite_differences_measure(double_precision):
    network, pixels, gradients = double_precision
    step, measured = 1e-5, torch.zeros_like(pixels)
    for place in np.ndindex(*pixels.shape):
        move = torch.zeros_like(pixels)
        move[place] = step
        up, down = network(torch.stack([pixels + move, pixels - move]))[:, 1]
        measured[place] = (up - down) / (2 * step)
    torch.testing.assert_close(gradients.pixels, measured, atol=1e-8, rtol=1e-6)
    expected = [
        np.sqrt(float((measured[:, 4 * row : 4 * row + 4, 4 * column : 4 * column + 4] ** 2).sum()))
        for row in range(3)
        for column in range(3)
    ]
    np.testing.assert_allclose(gradients.raw(4), expected, rtol=1e-5)


def test_the_logit_grows_along_its_gradient_by_the_gradients_length(double_precision):
    network, pixels, gradients = double_precision
    slope = slope_along(network, pixels, 1, gradients.pixels, step=1e-4)
    assert slope == pytest.approx(float(gradients.pixels.norm()), rel=1e-6)
    assert slope_along(network, pixels, 0, gradients.pixels, step=1e-4) != pytest.approx(slope, rel=1e-2)
    assert slope_along(network, pixels, 1, torch.zeros_like(pixels)) == 0


def test_gradients_do_not_change_the_network():
    network = tiny_vision().requires_grad_(False)
    pixels = torch.from_numpy(noise(3, 12, 12)) * 2 - 1
    with torch.inference_mode(False), torch.no_grad():
        class_gradients(network, pixels, 0)
    assert all(parameter.grad is None for parameter in network.parameters())
    assert not pixels.requires_grad
