"""Where a Vision Transformer's training begins: at random, or with attention that looks like a trained network's.

A Vision Transformer that learns from few pictures spends much of its training on finding out that what lies near and
looks alike belongs together. In trained ones W_Q W_K^T resembles a positive multiple of the identity and W_V W_O a
negative one; beginning there, with sinusoidal position vectors, spares that time and changes nothing of the network
itself ("Mimetic Initialization of Self-Attention Layers", Trockman and Kolter 2023).
"""

import math

import torch
from torch import Tensor

from ..networks.attention import MultiHeadAttention
from ..networks.vision import VisionTransformer

BEGINNINGS = ("random", "mimetic")
QUERY_KEY = (0.7, 0.7)  # W_Q W_K^T is near the first times a random matrix, plus the second times the identity
VALUE_OUTPUT = (0.4, -0.4)  # W_V W_O likewise
LONGEST = 100.0  # base of the waves, in place of 10,000: a grid has tens of places a side, not thousands


@torch.no_grad()
def begin_mimetic(network: VisionTransformer, scale: float = 0.2) -> None:
    """Set attention's projections and the position vectors of a network that has learned nothing.

    Args:
        scale: length of the waves in the position vectors; with it they are about as long as the embedded patches.
    """
    for layer in network.layers:
        _begin_attention(layer.attention)
    grid, width = network.config.grid, network.config.d_model
    network.position_embedding[0].zero_()  # CLS is nowhere
    network.position_embedding[1:].copy_(scale * waves(grid, width))


def _begin_attention(attention: MultiHeadAttention) -> None:
    heads = attention.n_heads
    d_model = attention.query.in_features
    d_k = d_model // heads
    noise, identity = QUERY_KEY
    for head in range(heads):
        rows = slice(head * d_k, (head + 1) * d_k)
        wanted = noise * torch.randn(d_model, d_model) / math.sqrt(d_k) + identity * torch.eye(d_model)
        left, right = _halves(wanted, d_k)  # (d_model, d_k) each
        attention.query.weight[rows].copy_(left.t())
        attention.key.weight[rows].copy_(right.t())
    noise, identity = VALUE_OUTPUT
    wanted = noise * torch.randn(d_model, d_model) / math.sqrt(d_model) + identity * torch.eye(d_model)
    left, right = _halves(wanted, d_model)
    attention.value.weight.copy_(left.t())
    attention.output.weight.copy_(right)


def _halves(wanted: Tensor, rank: int) -> tuple[Tensor, Tensor]:
    """`(d, d)` -> two of `(d, rank)`: the first times the transposed second is the nearest matrix of that rank."""
    left, sizes, right = torch.linalg.svd(wanted)
    roots = sizes[:rank].sqrt()
    return left[:, :rank] * roots, right[:rank].t() * roots


def waves(grid: int, width: int) -> Tensor:
    """Sines and cosines of row and column, `(grid * grid, width)`; of the width, the last values may stay 0."""
    count = width // 4
    frequencies = LONGEST ** (-torch.arange(count) / count)  # (wave,)
    angles = torch.arange(grid)[:, None] * frequencies  # (place, wave)
    one = torch.cat([angles.sin(), angles.cos()], dim=1)  # (place, 2 wave)
    both = torch.cat([one.repeat_interleave(grid, 0), one.repeat(grid, 1)], dim=1)  # (row and column, 4 wave)
    return torch.nn.functional.pad(both, (0, width - both.shape[1]))
