"""Networks that learned a little: their translations vary and end, which those of random weights hardly ever do."""

import random

import torch
import torch.nn.functional as F

from model.networks.masks import pad_batch
from model.networks.transformer import Transformer
from tests.model.networks import tiny_network


def half_trained_network(vocabulary_size: int, steps: int, seed: int = 0) -> Transformer:
    """A tiny network trained for a few steps to write its source backwards; still unsure of most tokens."""
    network = tiny_network(seed, vocabulary_size=vocabulary_size, dropout=0.0).train()
    optimizer = torch.optim.Adam(network.parameters(), lr=5e-3)
    drawn = random.Random(seed)
    for _ in range(steps):
        sentences = random_sentences(24, vocabulary_size, drawn)
        source = pad_batch(sentences, 0)
        target = pad_batch([[2, *reversed(sentence[:-1]), 3] for sentence in sentences], 0)
        logits = network(source, target[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), target[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval().requires_grad_(False)


def random_sentences(count: int, vocabulary_size: int, drawn: random.Random) -> list[list[int]]:
    """Ids of one to six ordinary tokens and `</s>`."""
    return [[*(drawn.randrange(4, vocabulary_size) for _ in range(drawn.randint(1, 6))), 3] for _ in range(count)]
