"""Packed weights and blocks are the same linear map as one product of matrices."""

from copy import deepcopy

import pytest
import torch
import torch.nn.functional as F

from model.networks import linear as module
from model.networks.linear import FEW, PACKED, Linear, linear, pack


@pytest.mark.parametrize("size", [(12, 8), (7, 5)])  # (out, in); no blocks for 7
@pytest.mark.parametrize("shape", [(1,), (1, 1), (FEW,), (2, FEW // 2), (FEW + 1,)])
@torch.inference_mode()
def test_blocks_are_the_same_linear_map(size, shape):
    generator = torch.Generator().manual_seed(1)
    weight, bias = torch.randn(size, generator=generator), torch.randn(size[0], generator=generator)
    stream = torch.randn(*shape, size[1], generator=generator)
    for maybe_bias in (bias, None):
        expected = F.linear(stream.double(), weight.double(), None if maybe_bias is None else maybe_bias.double())
        result = linear(stream, weight, maybe_bias)
        assert result.shape == expected.shape and result.is_contiguous()
        assert (result - expected).abs().max() < 1e-5


def test_blocks_are_used_for_few_rows_in_inference_mode_only(monkeypatch):
    products, layer = [], Linear(8, 12)
    real = torch.baddbmm
    monkeypatch.setattr(module.torch, "baddbmm", lambda *arguments: products.append(1) or real(*arguments))
    for rows, blocks in ((FEW, 1), (FEW + 1, 0)):
        with torch.inference_mode():
            layer(torch.zeros(rows, 8))
        assert len(products) == blocks
        products.clear()
    layer(torch.zeros(1, 8)).sum().backward()
    assert not products and layer.weight.grad is not None


FBGEMM = "fbgemm" in torch.backends.quantized.supported_engines


def packed_layer(bias: bool = True) -> Linear:
    torch.manual_seed(2)
    layer = Linear(24, 20, bias)
    layer.weight.data = layer.weight.data.half().float()
    layer.pack()
    return layer


@pytest.fixture
def products(monkeypatch):
    """Count the products that read packed weights."""
    calls, name = [], "fbgemm_linear_fp16_weight_fp32_activation"
    real = getattr(torch, name)
    monkeypatch.setattr(torch, name, lambda *arguments: calls.append(1) or real(*arguments))
    return calls


@pytest.mark.skipif(not FBGEMM, reason="PyTorch has no such product for this processor")
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(1,), (3, 1), (5, 7), (PACKED,), (PACKED + 1,)])
def test_packed_weights_are_the_same_linear_map(products, shape, bias):
    layer = packed_layer(bias)
    products.clear()  # packing runs it once
    stream = torch.randn(*shape, 24)
    expected = F.linear(stream.double(), layer.weight.double(), layer.bias.double() if bias else None)
    with torch.inference_mode():
        result = layer(stream)
    assert result.shape == expected.shape and (result - expected).abs().max() < 1e-5
    assert len(products) == (shape != (PACKED + 1,))


@pytest.mark.skipif(not FBGEMM, reason="PyTorch has no such product for this processor")
def test_packed_weights_are_not_used_after_the_weights_changed(products):
    """Neither after any kind of change nor by a copy, which may be changed."""
    stream = torch.ones(1, 24)
    changes = (
        lambda layer: layer.weight.mul_(2),
        lambda layer: layer.load_state_dict({"weight": 2 * layer.weight, "bias": layer.bias}),
        lambda layer: setattr(layer.weight, "data", 2 * layer.weight),
        lambda layer: setattr(layer, "weight", torch.nn.Parameter(2 * layer.weight)),
    )
    for change in changes:
        layer = packed_layer()
        copy = deepcopy(layer)
        products.clear()
        with torch.no_grad():
            change(copy)
            change(layer)
        expected = F.linear(stream, layer.weight, layer.bias)
        with torch.inference_mode():
            assert torch.equal(copy(stream), layer(stream)) and (layer(stream) - expected).abs().max() < 1e-5
        assert not products


def test_weights_that_half_precision_cannot_represent_are_not_packed():
    for number in (1 + 2**-12, 1e6, float("nan")):
        weight = torch.nn.Parameter(torch.full((4, 8), number))
        assert pack(weight) is None


def test_training_uses_no_packed_weights(products):
    layer = packed_layer()
    products.clear()
    layer(torch.ones(1, 24)).sum().backward()
    assert not products and layer.weight.grad is not None
