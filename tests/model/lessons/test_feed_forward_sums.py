"""The feed-forward maps: shapes of all tensors, and numbers split into products and bias."""

from dataclasses import replace

import numpy as np
import pytest

from model.lessons.feed_forward import measure_hidden_units
from model.lessons.feed_forward_sums import LinearSum, feed_forward_shapes, split_sums


def test_shapes_of_the_worked_example():
    shapes = {step.step: step.shape for step in feed_forward_shapes(2, 7, 256, 1024)}
    assert shapes == {
        "x": (2, 7, 256),
        "W1": (256, 1024),
        "b1": (1024,),
        "x W1 + b1": (2, 7, 1024),
        "h": (2, 7, 1024),
        "W2": (1024, 256),
        "b2": (256,),
        "h W2 + b2": (2, 7, 256),
    }


@pytest.mark.parametrize("stack", ["encoder", "decoder"])
def test_products_and_bias_add_up_to_what_the_network_recorded(network, trace, stack):
    units = measure_hidden_units(network, trace, stack, 1)
    module = getattr(network, stack)[1].feed_forward
    for unit in (0, 5, 63):
        into, out = split_sums(network, units, (stack, 1), 2, unit, unit % 16)
        assert max(into.difference, out.difference) < 1e-5
        assert into.total == pytest.approx(float(units.before[2, unit]), abs=1e-5)
        assert into.result == pytest.approx(float(units.hidden[2, unit]), abs=1e-5)
        np.testing.assert_allclose(into.weights, module.expand.weight[unit].detach(), atol=1e-7)
        assert into.bias == pytest.approx(float(module.expand.bias[unit].detach()))
        assert out.product_sum + out.bias == pytest.approx(float(units.output[2, unit % 16]), abs=1e-5)


def test_the_difference_notices_a_wrong_bias(network, trace):
    units = measure_hidden_units(network, trace, "encoder", 0)
    units = replace(units, second_bias=units.second_bias + 1)
    assert split_sums(network, units, ("encoder", 0), 0, 0, 3)[1].difference > 0.9


def test_largest_products_and_relu():
    one = LinearSum(np.array([1.0, -2.0, 3.0]), np.array([1.0, 2.0, 0.5]), 0.5, True, 0.0)
    assert one.products.tolist() == [1.0, -4.0, 1.5]
    assert one.largest(2).tolist() == [1, 2]
    assert (one.product_sum, one.total, one.result, one.difference) == (-1.5, -1.0, 0.0, 0.0)
    assert LinearSum(one.inputs, one.weights, 0.5, False, -1.0).result == -1.0
