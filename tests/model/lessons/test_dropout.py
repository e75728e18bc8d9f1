"""Dropout before the addition: PyTorch's draws, no change at p = 0, and an unchanged mean."""

import numpy as np
import pytest
import torch
from torch.nn import functional

from model.lessons.dropout import HIDDEN, draw_dropout
from model.tracing.trace import record_tensors

SITES = [("encoder", 0, "self"), ("encoder", 1, "ffn"), ("decoder", 0, "cross"), ("decoder", 1, "self")]


@pytest.mark.parametrize(("stack", "layer", "step"), SITES)
def test_without_dropout_every_draw_is_the_recorded_stream(network, trace, stack, layer, step):
    draws = draw_dropout(network, trace, stack, (layer, step, 1), 0.0, 3, 7)
    name = f"{stack}.{layer}.{step}.normalised"
    own = record_tensors(network, trace, stack, [name])[name][0, 1].detach().numpy()
    np.testing.assert_allclose(draws.without, own, atol=1e-6)
    np.testing.assert_array_equal(draws.drawn, np.broadcast_to(draws.without, draws.drawn.shape))
    assert draws.kept.all() and draws.mean_cosine == pytest.approx(1)


def test_draws_equal_those_of_the_library(network, trace):
    draws = draw_dropout(network, trace, "encoder", (0, "ffn", 2), 0.4, 5, 11)
    names = ["encoder.0.self.normalised", "encoder.0.ffn.sublayer_output"]
    x, output = (tensor[0, 2] for tensor in map(record_tensors(network, trace, "encoder", names).get, names))
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(11)
        dropped = functional.dropout(output.expand(5, -1).contiguous(), 0.4, training=True)
        expected = network.encoder[0].feed_forward_norm.norm(x + dropped)
    np.testing.assert_array_equal(draws.kept, (dropped != 0).numpy())
    np.testing.assert_allclose(draws.drawn, expected.numpy(), atol=1e-6)
    assert draws.difference < 1e-5
    assert (draws.cosines < 1 - 1e-4).all()


def test_the_mean_of_many_draws_is_near_the_vector_without(network, trace):
    few, many = (draw_dropout(network, trace, "decoder", (0, "self", 0), 0.3, draws, 3) for draws in (4, 4000))
    assert many.kept.mean() == pytest.approx(0.7, abs=0.01)
    assert many.mean_cosine > max(few.cosines) and many.mean_cosine > 0.99


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_hidden_units_are_dropped_before_the_second_map(network, trace, stack):
    """Against the library's dropout inside the feed-forward network, with the same draws."""
    draws = draw_dropout(network, trace, stack, (1, HIDDEN, 2), 0.4, 5, 11)
    before = "self" if stack == "encoder" else "cross"
    name = f"{stack}.1.{before}.normalised"
    x, block = record_tensors(network, trace, stack, [name])[name][0, 2], getattr(network, stack)[1]
    with torch.random.fork_rng(devices=[]), torch.inference_mode():
        torch.manual_seed(11)
        hidden = block.feed_forward.expand(x).relu()
        dropped = functional.dropout(hidden.expand(5, -1).contiguous(), 0.4, training=True)
        expected = block.feed_forward_norm.norm(x + block.feed_forward.contract(dropped))
    assert draws.kept.shape == (5, len(hidden))
    np.testing.assert_array_equal(draws.kept[:, hidden > 0], (dropped != 0).numpy()[:, hidden > 0])
    np.testing.assert_allclose(draws.drawn, expected.numpy(), atol=1e-5)
    assert draws.difference < 1e-5 and (draws.cosines < 1 - 1e-6).all()
    kept = draw_dropout(network, trace, stack, (1, HIDDEN, 2), 0.0, 2, 11)
    output = draw_dropout(network, trace, stack, (1, "ffn", 2), 0.0, 2, 11)
    np.testing.assert_allclose(kept.drawn, output.drawn, atol=1e-5)
