"""Add & Norm: mean 0 and variance 1 after normalising, lengths that follow from the recorded stream."""

import numpy as np
import pytest

from model.lessons.residual import recompute_add_and_norms


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_mean_zero_variance_one_after_normalising(network, trace, stack):
    for sub_layer in recompute_add_and_norms(network, trace, stack):
        np.testing.assert_allclose(sub_layer.normal_mean, 0, atol=1e-12)
        np.testing.assert_allclose(sub_layer.normal_variance, 1, atol=1e-4)
        assert sub_layer.difference < 1e-5
        assert np.abs(sub_layer.added_variance - 1).max() > 0.05  # before, it was not


def test_one_entry_a_sub_layer_in_order(network, trace):
    assert [(s.layer, s.step) for s in recompute_add_and_norms(network, trace, "encoder")] == [
        (0, "self"), (0, "ffn"), (1, "self"), (1, "ffn")
    ]  # fmt: skip
    assert [s.step for s in recompute_add_and_norms(network, trace, "decoder")] == ["self", "cross", "ffn"] * 2


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_lengths_equal_those_of_the_recorded_stream(network, trace, stack):
    stream = trace.encoder_stream if stack == "encoder" else trace.decoder_stream
    sub_layers = recompute_add_and_norms(network, trace, stack)
    per_layer = len(sub_layers) // 2
    for layer in range(2):
        first, last = sub_layers[layer * per_layer], sub_layers[(layer + 1) * per_layer - 1]
        np.testing.assert_allclose(first.before, np.linalg.norm(stream[layer], axis=1), rtol=1e-5)
        np.testing.assert_allclose(last.after, np.linalg.norm(stream[layer + 1], axis=1), rtol=1e-5)
    for earlier, later in zip(sub_layers, sub_layers[1:], strict=False):
        np.testing.assert_allclose(earlier.after, later.before)


def test_lengths_obey_the_law_of_cosines(network, trace):
    for s in recompute_add_and_norms(network, trace, "decoder"):
        squared = s.before**2 + s.sublayer_output**2 + 2 * s.before * s.sublayer_output * s.cosine
        np.testing.assert_allclose(s.added**2, squared, rtol=1e-9)
        np.testing.assert_allclose(s.share, s.sublayer_output / s.before)
