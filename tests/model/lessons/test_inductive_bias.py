"""Receptive fields of a convolution, and what rearranging preserves."""

import numpy as np
import pytest
import torch

from model.lessons.inductive_bias import ReceptiveField, predict, rearrange, receptive_fields
from model.networks.convolution import ConvolutionalNetwork, ConvolutionConfig


def test_the_receptive_field_grows_by_hand():
    """Stem 3 and 7; then two filters of steps of 4 each: 7 + 8 + 8 = 23; with a stride between, 23 + 8 + 16 = 47."""
    fields = receptive_fields(ConvolutionConfig(("a", "b"), widths=(8, 16), blocks=1))
    assert fields == [ReceptiveField(0, 7, 4), ReceptiveField(1, 23, 4), ReceptiveField(2, 47, 8)]


def test_no_gradient_comes_from_beyond_the_receptive_field():
    torch.manual_seed(0)
    network = ConvolutionalNetwork(ConvolutionConfig(("a", "b"), widths=(8,), blocks=1)).eval()
    pixels = torch.randn(1, 3, 64, 64, requires_grad=True)
    stream = pixels
    for convolution in (*network.stem, network.blocks[0].first, network.blocks[0].second):
        stream = convolution(stream)
    stream[0, :, 8, 8].sum().backward()
    rows = pixels.grad.abs().sum(dim=(0, 1, 3)).nonzero()
    assert int(rows.max() - rows.min()) + 1 == 23


def test_rearranging_preserves_every_pixel():
    pixels = np.arange(8 * 8 * 3, dtype=np.uint8).reshape(8, 8, 3)
    arrangements = rearrange(pixels, 4)
    for picture in arrangements.values():
        np.testing.assert_array_equal(np.sort(picture.ravel()), np.sort(pixels.ravel()))
    np.testing.assert_array_equal(arrangements["shifted"][:, 4:], pixels[:, :4])
    np.testing.assert_array_equal(np.sort(arrangements["pixels"][:4, :4].ravel()), np.sort(pixels[:4, :4].ravel()))
    corner = {picture[:4, :4].tobytes() for picture in (pixels[:4], pixels[:4, 4:], pixels[4:], pixels[4:, 4:])}
    assert arrangements["patches"][:4, :4].tobytes() in corner


def test_probabilities_sum_to_one():
    network = ConvolutionalNetwork(ConvolutionConfig(("a", "b"), widths=(8,), blocks=1)).eval()
    probabilities = predict(network, {"x": np.zeros((16, 16, 3), np.float32)})
    assert probabilities["x"].sum() == pytest.approx(1)
