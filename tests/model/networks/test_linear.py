"""Blocks are the same linear map as one product of matrices."""

import pytest
import torch
import torch.nn.functional as F

from model.networks import linear as module
from model.networks.linear import FEW, Linear, linear


@pytest.mark.parametrize("size", [(12, 8), (7, 5)])  # (out, in); no blocks for 7
@pytest.mark.parametrize("shape", [(1,), (1, 1), (FEW,), (2, FEW // 2), (FEW + 1,)])
@torch.inference_mode()
def test_blocks_are_the_same_linear_map(size, shape):
    generator = torch.Generator().manual_seed(1)
    weight, bias = torch.randn(size, generator=generator), torch.randn(size[0], generator=generator)
    stream = torch.randn(*shape, size[1], generator=generator)
    for given in (bias, None):
        expected = F.linear(stream.double(), weight.double(), None if given is None else given.double())
        found = linear(stream, weight, given)
        assert found.shape == expected.shape and found.is_contiguous()
        assert (found - expected).abs().max() < 1e-5


def test_blocks_are_for_few_rows_where_nothing_is_trained(monkeypatch):
    products, layer = [], Linear(8, 12)
    real = torch.baddbmm
    monkeypatch.setattr(module.torch, "baddbmm", lambda *given: products.append(1) or real(*given))
    for rows, blocks in ((FEW, 1), (FEW + 1, 0)):
        with torch.inference_mode():
            layer(torch.zeros(rows, 8))
        assert len(products) == blocks
        products.clear()
    layer(torch.zeros(1, 8)).sum().backward()
    assert not products and layer.weight.grad is not None
