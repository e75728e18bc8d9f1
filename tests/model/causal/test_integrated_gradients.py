"""Attributions sum to the change of the metric, and equal what can be computed by hand."""

import numpy as np
import pytest
import torch

from model.causal.causal_error import CausalError
from model.causal.integrated_gradients import integrate_gradients, integrate_gradients_in_steps
from model.causal.metrics import LogitDifference, Probability
from model.causal.own_networks import resumable
from model.networks.tap import Intervention
from tests.model.causal.small_networks import inputs_of, small_network
from tests.model.causal.test_activation_patching import plain_run

METRIC = LogitDifference(1, 2)


@pytest.mark.parametrize("kind", ["language", "vision"])
def test_attributions_sum_to_the_change_of_the_metric(kind):
    network, inputs = small_network(kind), inputs_of(kind, 1)
    result = integrate_gradients(resumable(network), inputs, METRIC, tolerance=1e-6)
    logits = plain_run(network, inputs)[0, -1]
    assert result.value == pytest.approx(float(logits[1] - logits[2]), abs=1e-12)
    assert abs(result.gap) <= 1e-6 * abs(result.value - result.baseline)
    assert abs(result.value - result.baseline) > 1e-3
    main = next(iter(result.attributions.values()))
    assert main.sum() == pytest.approx(result.value - result.baseline, rel=1e-5)
    if kind == "vision":
        blocks = result.attributions["pixels"].reshape(3, 4, 3, 4).sum(axis=(1, 3)).ravel()
        np.testing.assert_allclose(main, blocks, atol=1e-12)
        assert set(result.tables) == {"patches", "pixels"}


def test_the_baseline_of_text_has_positions_alone():
    network, inputs = small_network("language"), inputs_of("language", 1)
    result = integrate_gradients(resumable(network), inputs, Probability(5))
    tap = Intervention({"decoder.embedded": lambda stream: network.position_embedding[None, : stream.shape[1]]})
    assert result.baseline == pytest.approx(float(plain_run(network, inputs, tap)[0, -1].softmax(-1)[5]), abs=1e-12)


def test_the_baseline_of_a_picture_is_its_mean_colour():
    network, inputs = small_network("vision"), inputs_of("vision", 1)
    result = integrate_gradients(resumable(network), inputs, METRIC)
    mean = inputs[0].mean(dim=(2, 3), keepdim=True).expand_as(inputs[0])
    logits = network(mean)[0]
    assert result.baseline == pytest.approx(float(logits[1] - logits[2]), abs=1e-12)


def test_the_translator_is_attributed_to_source_and_target_together():
    network, inputs = small_network("translator"), inputs_of("translator", 1)
    both = integrate_gradients(resumable(network), inputs, METRIC, stacks=["encoder", "decoder"], tolerance=2e-3)
    assert set(both.attributions) == {"encoder", "decoder"} and both.attributions["decoder"].shape == (3,)
    assert abs(both.gap) <= 2e-3 * abs(both.value - both.baseline)
    source = integrate_gradients(resumable(network), inputs, METRIC, tolerance=2e-3)
    assert set(source.attributions) == {"encoder"} and source.baseline != both.baseline
    total = sum(values.sum() for values in both.attributions.values())
    assert total + both.gap == pytest.approx(both.value - both.baseline, abs=1e-12)


def test_a_linear_network_gets_its_weights_times_the_input():
    """Without attention, feed-forward layers and a norm that depends on the input, the logit is linear."""
    network = small_network("language")
    for layer in network.decoder:
        layer.self_attention.output.weight.zero_()
        layer.contract.weight.zero_()
    network.norm = torch.nn.Identity()
    inputs = inputs_of("language", 1)
    result = integrate_gradients(resumable(network), inputs, METRIC)
    direction = network.embedding.weight[1] - network.embedding.weight[2]
    wanted = (network.embedding.weight[inputs[0][0]] @ direction).numpy()
    wanted[:-1] = 0  # positions do not meet
    np.testing.assert_allclose(result.attributions["decoder"], wanted, atol=1e-12)
    assert result.points == 16


def test_points_are_doubled_until_the_most_and_progress_ends():
    causal, inputs = resumable(small_network("translator")), inputs_of("translator", 1)
    result = integrate_gradients(causal, inputs, METRIC, tolerance=1e-12, most_points=64)
    assert result.points == 64 and abs(result.gap) > 0
    steps = list(integrate_gradients_in_steps(causal, inputs, METRIC, tolerance=1e-12, most_points=64))
    assert [step.done for step in steps] == [1, 2, 3, 4, 5, 6, 7, 7] and steps[-1].total == 7


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (dict(stacks=["vision"]), "Choose stacks from decoder"),
        (dict(stacks=[]), "Choose stacks from decoder"),
        (dict(tolerance=0), "above 0"),
        (dict(most_points=4), "at least 16"),
        (dict(metric=LogitDifference(1, 99)), "no logit 99"),
    ],
)
def test_what_cannot_be_attributed_gets_one_sentence(options, message):
    options = dict(inputs=inputs_of("language", 1), metric=METRIC) | options
    with pytest.raises(CausalError, match=message):
        integrate_gradients(resumable(small_network("language")), **options)
