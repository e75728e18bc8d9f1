"""Blocks are the same linear map as one product of matrices."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from model.decoding.affine import FEW, WIDE, Affine

SIZES = [(12, 8), (7, 5), (WIDE + 4, 8)]  # (out, in)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("rows", [1, 4, FEW, FEW + 1])
@torch.inference_mode()
def test_blocks_are_the_same_linear_map(size, rows):
    generator = torch.Generator().manual_seed(1)
    weight, bias = torch.randn(size, generator=generator), torch.randn(size[0], generator=generator)
    stream = torch.randn(rows, size[1], generator=generator)
    expected = F.linear(stream.double(), weight.double(), bias.double())
    found = Affine(weight, bias)(stream)
    assert found.shape == expected.shape and found.is_contiguous()
    assert (found - expected).abs().max() < 1e-5


@torch.inference_mode()
def test_maps_side_by_side_give_their_outputs_side_by_side():
    first, second = nn.Linear(6, 4), nn.Linear(6, 3)
    stream = torch.randn(2, 6)
    expected = torch.cat([first(stream), second(stream)], dim=1)
    assert (Affine.of(first, second)(stream) - expected).abs().max() < 1e-6


def test_one_module_is_not_copied():
    module = nn.Linear(6, 4)
    assert Affine.of(module).weight.data_ptr() == module.weight.data_ptr()


def test_beside_the_processor_it_is_one_product():
    elsewhere = Affine(torch.empty(12, 8, device="meta"), torch.empty(12, device="meta"))
    assert elsewhere(torch.empty(1, 8, device="meta")).shape == (1, 12)
    assert elsewhere._few == 0
