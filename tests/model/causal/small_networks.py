"""Small networks with random weights in double precision, and inputs for them."""

import torch
from torch import Tensor, nn

from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from tests.model.images import tiny_vision
from tests.model.networks import random_ids, tiny_network


def small_language_network(seed: int = 0, **changes) -> DecoderOnlyTransformer:
    """Two layers of two heads; biases, norms and weights are large enough that none can hide a mistake."""
    torch.manual_seed(seed)
    sizes = dict(vocabulary_size=64, d_model=16, n_heads=2, n_layers=2, d_ff=32, max_positions=64)
    network = DecoderOnlyTransformer(DecoderOnlyConfig(**{**sizes, **changes})).eval().requires_grad_(False)
    for parameter in network.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.2)
    return network


def small_network(kind: str, seed: int = 0) -> nn.Module:
    """The translator, the decoder-only network or the ViT in double precision."""
    makers = {"translator": tiny_network, "language": small_language_network, "vision": tiny_vision}
    return makers[kind](seed).double().requires_grad_(False)


def inputs_of(kind: str, seed: int) -> tuple[Tensor, ...]:
    """One input: four source and three target tokens, five tokens, or a picture of nine patches."""
    if kind == "vision":
        pixels = torch.rand(1, 3, 12, 12, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
        return (pixels * 2 - 1,)
    if kind == "language":
        return (random_ids(1, 5, seed=seed),)
    return random_ids(1, 4, seed=seed), torch.cat([torch.tensor([[2]]), random_ids(1, 2, seed=seed + 10)], dim=1)
