"""A simple implementation of decoding: the whole target through the whole network at every step."""

import itertools
import math

import torch

from model.networks.transformer import Transformer

PAD, UNK, BOS, EOS = 0, 1, 2, 3


@torch.no_grad()
def next_logits(network: Transformer, source: list[int], ids: list[int]) -> torch.Tensor:
    """`(vocabulary,)` logits of the token that follows `ids`, without any cache."""
    return network(torch.tensor([source]), torch.tensor([[BOS, *ids]]))[0, -1]


def allowed(logits: torch.Tensor) -> torch.Tensor:
    """A copy with minus infinity for the three tokens that no translation contains."""
    logits = logits.clone()
    logits[[PAD, UNK, BOS]] = -math.inf
    return logits


def greedy(network: Transformer, source: list[int], max_length: int) -> list[int]:
    """Append the most probable token until the end."""
    ids: list[int] = []
    while len(ids) < max_length and EOS not in ids:
        ids.append(int(allowed(next_logits(network, source, ids)).argmax()))
    return ids


def log_probability(network: Transformer, source: list[int], ids: tuple[int, ...]) -> float:
    """Sum of ln p over all tokens of a translation, from one teacher-forced pass."""
    with torch.no_grad():
        logits = network(torch.tensor([source]), torch.tensor([[BOS, *ids[:-1]]]))[0].double()
    return sum(float(row.log_softmax(0)[token]) for row, token in zip(logits, ids, strict=True))


def normalise(total: float, length: int, alpha: float) -> float:
    """Equation 14 of Wu et al. 2016, without the coverage penalty."""
    return total / (((5 + length) ** alpha) / ((5 + 1) ** alpha))


def every_translation(vocabulary: int, max_length: int) -> list[tuple[int, ...]]:
    """All id sequences that end with `</s>`, or that have none and are cut at `max_length`."""
    words = range(4, vocabulary)
    result = []
    for length in range(1, max_length + 1):
        result += [(*words_before, EOS) for words_before in itertools.product(words, repeat=length - 1)]
    return result + list(itertools.product(words, repeat=max_length))


def beam(
    network: Transformer, source: list[int], width: int, alpha: float, max_length: int
) -> list[tuple[tuple[int, ...], float]]:
    """Beam search with plain lists: finished translations and their scores, best first.

    Each step ranks all one-token extensions of the open beginnings: an ending among the `width` best is a translation,
    and the `width` best open ones are extended. It stops when the best open one scores no higher than the worst of
    `width` translations.
    """
    opened: list[tuple[tuple[int, ...], float]] = [((), 0.0)]
    finished: list[tuple[tuple[int, ...], float]] = []
    while opened:
        extended = []
        for ids, total in opened:
            row = next_logits(network, source, list(ids)).double().log_softmax(0)
            extended += [((*ids, token), total + float(row[token])) for token in range(EOS, len(row))]
        extended.sort(key=lambda pair: -pair[1])
        last = len(extended[0][0]) == max_length
        ended = extended if last else [pair for pair in extended[:width] if pair[0][-1] == EOS]
        finished += [(ids, normalise(total, len(ids), alpha)) for ids, total in ended]
        finished = sorted(finished, key=lambda pair: -pair[1])[:width]
        opened = [] if last else [pair for pair in extended if pair[0][-1] != EOS][:width]
        if opened and len(finished) == width:
            best_open = normalise(opened[0][1], len(opened[0][0]), alpha)
            if best_open <= finished[-1][1]:
                break
    return finished
