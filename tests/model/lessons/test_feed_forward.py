"""The feed-forward sub-layer: its sizes, its active units, and that positions are independent."""

import numpy as np
import pytest
import torch

from model.lessons.feed_forward import HiddenUnits, measure_hidden_units
from model.networks.config import TransformerConfig
from model.networks.transformer import FeedForward
from model.tracing.trace import record_trace


def test_the_worked_example():
    config = TransformerConfig.preset("small")
    module = FeedForward(config.d_model, config.d_ff)
    shapes = []
    module(torch.zeros(1, 3, 256), lambda name, tensor: shapes.append(tensor.shape) or tensor)
    assert shapes == [(1, 3, 1024)]
    assert module(torch.zeros(1, 3, 256)).shape == (1, 3, 256)


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_the_check_holds_in_every_layer(network, trace, stack):
    for layer in range(2):
        units = measure_hidden_units(network, trace, stack, layer)
        assert units.hidden.shape == (len(trace.source_ids if stack == "encoder" else trace.target_ids), 64)
        assert max(units.hidden_difference, units.output_difference, units.alone_difference) < 1e-5
        assert units.parameters == 16 * 64 + 64 + 64 * 16 + 16
        assert units.d_model == 16
        module = getattr(network, stack)[layer].feed_forward
        before = module.expand(torch.from_numpy(units.stream))
        np.testing.assert_allclose(units.before, before.detach(), atol=1e-5)
        np.testing.assert_allclose(units.hidden, before.detach().relu(), atol=1e-5)
        np.testing.assert_allclose(units.output, module(torch.from_numpy(units.stream)).detach(), atol=1e-5)


def test_the_check_fails_on_hidden_units_of_another_layer(network, trace):
    swapped = record_trace(
        network, trace.tokenizer, list(trace.source_ids), list(trace.target_ids), list(trace.next_ids)
    )
    object.__setattr__(swapped, "encoder_hidden", trace.encoder_hidden[::-1])
    assert measure_hidden_units(network, swapped, "encoder", 0).hidden_difference > 0.01


def test_active_units_are_counted():
    hidden = np.array([[0, 2, 0, 1], [0, 0, 0, 3]], dtype=np.float32)
    recorded = HiddenUnits(
        np.zeros((2, 2)), hidden, hidden, np.zeros((2, 2)), np.zeros(4), np.zeros(2), 2, 0, 0.0, 0.0, 0.0
    )
    assert recorded.fired.tolist() == [2, 1]
    assert recorded.share == 3 / 8
    assert recorded.never == 2
    units, activations = recorded.strongest(0, 2)
    assert (units.tolist(), activations.tolist()) == ([1, 3], [2, 1])
