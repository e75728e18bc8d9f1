"""Gradient relevance of an encoder with a decoder: the rules by hand, the gradients against finite differences."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from model.attribution import source_gradients
from model.attribution.source_gradients import (
    check_gradients,
    gradient_relevance_in_steps,
    normalise_relevance,
    source_relevance,
    weight_gradients,
)
from model.networks.tap import Intervention
from model.runtime.progress import as_one_call
from tests.model.networks import tiny_network

gradient_relevance = as_one_call(gradient_relevance_in_steps)


def test_normalised_by_hand():
    total = torch.tensor([[3.0, 2.0], [0.0, 1.0]])  # minus the identity: [2, 2] and [0, 0]
    torch.testing.assert_close(normalise_relevance(total), torch.tensor([[1.5, 0.5], [0.0, 1.0]]))


def test_the_rules_by_hand_on_one_layer():
    encoder = torch.tensor([[0.0, 2.0], [0.0, 0.0]])
    decoder = torch.tensor([[1.0, 0.0], [3.0, 1.0]])
    cross = torch.tensor([[1.0, 10.0], [100.0, 0.0]])
    # R_ss = [[1, 2], [0, 1]]: normalised [[1, 1], [0, 1]], the second row being the identity's.
    # R_tt = [[2, 0], [3, 2]]: minus the identity [[1, 0], [3, 1]], normalised [[2, 0], [3/4, 5/4]].
    # A R_ss = [[1, 11], [100, 100]]. R_tt transposed = [[2, 3/4], [0, 5/4]].
    expected = torch.tensor([[2 + 75, 22 + 75], [125.0, 125.0]])
    torch.testing.assert_close(source_relevance([encoder], [decoder], [cross]), expected)


def test_the_rules_by_hand_on_a_second_layer():
    nothing = torch.zeros(2, 2)
    first, second = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[0.0, 4.0], [0.0, 0.0]])
    own = torch.tensor([[0.0, 0.0], [5.0, 0.0]])
    # After layer 1 R_ts is its cross-attention. In layer 2 the second position takes 5 x the first one's (equation 7);
    # R_tt = [[1, 0], [5, 1]], normalised [[1, 0], [1, 1]], and transposed it leaves `second` [[0, 4], [0, 0]] alone.
    result = source_relevance([nothing], [nothing, own], [first, second])
    torch.testing.assert_close(result, torch.tensor([[1.0, 4.0], [5.0, 2.0]]))


def shorten(trace, source: int = 3, target: int = 3):
    """The trace's first tokens, few enough to move every weight."""
    return replace(
        trace,
        source_ids=trace.source_ids[:source],
        target_ids=trace.target_ids[:target],
        next_ids=trace.next_ids[:target],
    )


@torch.inference_mode()
def numeric_gradients(network, trace, position: int) -> dict[str, torch.Tensor]:
    """Kind -> `(layer, head, query, key)` by central differences; each row of a batch moves one weight."""
    names = {"encoder": "encoder.{}.self", "decoder": "decoder.{}.self", "cross": "decoder.{}.cross"}
    step, result = 1e-5, {}
    moves = torch.eye(2 * 3 * 3, dtype=torch.float64).view(-1, 2, 3, 3) * step  # (row, head, query, key)
    moves = torch.cat([moves, -moves])
    source, target = (torch.tensor([ids]).expand(len(moves), -1) for ids in (trace.source_ids, trace.target_ids))
    for kind, name in names.items():
        layers = []
        for layer in range(2):
            tap = Intervention({f"{name.format(layer)}.weights": lambda weights: weights + moves})
            logits = network.project(network.decode(target, network.encode(source, None, tap), None, tap))
            values = F.log_softmax(logits[:, position], dim=1)[:, trace.next_ids[position]]
            higher, lower = values.view(2, 2, 3, 3)
            layers.append((higher - lower) / (2 * step))
        result[kind] = torch.stack(layers)
    return result


@pytest.fixture(scope="module")
def double_precision(pair):
    """The tiny network in double precision and a short trace."""
    network, trace = pair
    network = tiny_network(vocabulary_size=len(trace.tokenizer)).double().requires_grad_(False)
    return network, shorten(trace)


def test_gradients_are_those_that_finite_differences_measure(double_precision):
    network, trace = double_precision
    weights, gradients = weight_gradients(network, trace, [1, 2])
    for row, position in enumerate((1, 2)):
        measured = numeric_gradients(network, trace, position)
        for kind, expected in measured.items():
            result = torch.stack(gradients[kind])[:, row]
            torch.testing.assert_close(result, expected, atol=1e-7, rtol=1e-5)
            assert result.abs().max() > 0
        # later positions have no effect
        assert (torch.stack(gradients["cross"])[:, row, :, position + 1 :] == 0).all()
    # the same rules for the last row, in NumPy and with measured gradients
    layers = {
        kind: [
            np.maximum(measured[kind][layer].numpy() * weights[kind][layer][0].numpy(), 0).mean(axis=0)
            for layer in range(2)
        ]
        for kind in measured
    }

    def normalise_rows(total):
        off_diagonal = total - np.eye(len(total))
        sums = off_diagonal.sum(axis=1)
        return np.array([row / s if s > 0 else 0 * row for row, s in zip(off_diagonal, sums, strict=True)]) + np.eye(
            len(total)
        )

    r_ss, r_tt, r_ts = np.eye(3), np.eye(3), np.zeros((3, 3))
    for attended in layers["encoder"]:
        r_ss = r_ss + attended @ r_ss
    for own, attended in zip(layers["decoder"], layers["cross"], strict=True):
        r_ts = r_ts + own @ r_ts
        r_tt = r_tt + own @ r_tt
        r_ts = r_ts + normalise_rows(r_tt).T @ attended @ normalise_rows(r_ss)
    np.testing.assert_allclose(gradient_relevance(network, trace)[2], r_ts[2], atol=1e-8)


def test_a_batch_of_positions_equals_single_positions_and_is_nowhere_negative(network, trace, monkeypatch):
    together = gradient_relevance(network, trace)
    assert together.shape == (len(trace.target_ids), len(trace.source_ids))
    assert (together >= 0).all() and together.max() > 0
    monkeypatch.setattr(source_gradients, "WEIGHTS", 1)  # one position at a time
    np.testing.assert_allclose(gradient_relevance(network, trace), together, atol=1e-6, rtol=1e-4)


def test_the_check_accepts_small_differences_and_detects_large_ones(network, trace):
    result = gradient_relevance(network, trace)
    check = check_gradients(network, trace, 2, result)
    assert check.slope == pytest.approx(check.gradient, rel=0.005)
    assert check.query <= 2 and abs(check.gradient) > 0
    assert check.relevance < 1e-5
    assert check_gradients(network, trace, 2, result * 2).relevance > 1e-4


def test_the_network_does_not_change(network, trace):
    network.requires_grad_(False)
    gradient_relevance(network, trace)
    assert all(parameter.grad is None for parameter in network.parameters())
    assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()
