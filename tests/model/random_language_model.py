"""A decoder-only network with random weights and the shipped translator's tokenizer."""

import torch

from model.language_model import TOKENIZER, LanguageModel
from model.networks.decoder_only import DecoderOnlyConfig, DecoderOnlyTransformer
from model.text.tokenizer import Tokenizer


def random_model(seed: int = 0) -> LanguageModel:
    """Random weights of a size that makes attention uneven and answers vary."""
    tokenizer = Tokenizer(TOKENIZER)
    torch.manual_seed(seed)
    config = DecoderOnlyConfig(len(tokenizer), d_model=32, n_heads=4, n_layers=3, d_ff=64)
    network = DecoderOnlyTransformer(config).requires_grad_(False)
    for parameter in network.parameters():
        parameter.add_(torch.randn_like(parameter) * 0.15)
    return LanguageModel(network, tokenizer)
