"""Tiny picture networks with random weights, and pictures of noise, for tests in which neither is the point."""

import numpy as np
import torch

from model.networks.convolution import ConvolutionalNetwork, ConvolutionConfig
from model.networks.vision import VisionConfig, VisionTransformer

CLASSES = ("circle", "square", "star")


def tiny_vision(seed: int = 0, **changes) -> VisionTransformer:
    """Two layers, two heads, a 3 x 3 grid; biases, norms and weights are large enough that none can hide a mistake."""
    torch.manual_seed(seed)
    sizes = dict(image_size=12, patch_size=4, d_model=16, n_heads=2, n_layers=2, d_ff=32, drop_path=0.0)
    network = VisionTransformer(VisionConfig(CLASSES, **{**sizes, **changes})).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.2)
    return network


def tiny_convolution(seed: int = 0, **changes) -> ConvolutionalNetwork:
    """Two stages of two blocks, 8 and 16 channels; norms and their statistics are those of a trained network."""
    torch.manual_seed(seed)
    sizes = dict(image_size=32, widths=(8, 16), blocks=2, squeeze=4)
    network = ConvolutionalNetwork(ConvolutionConfig(CLASSES, **{**sizes, **changes})).eval()
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
        for name, buffer in network.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(std=0.1)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
    return network


def noise(*shape: int, seed: int = 1) -> np.ndarray:
    """`shape` float32 in [0, 1)."""
    return np.random.default_rng(seed).random(shape, dtype=np.float32)
