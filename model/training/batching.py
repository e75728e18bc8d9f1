"""Batches of sentence pairs by token count: alike in length, in an order that the seed and the epoch alone decide."""

import random
from dataclasses import dataclass

from torch import Tensor

from model.networks.masks import pad_batch


@dataclass(frozen=True)
class EncodedPair:
    """Token ids of one pair: `source` ends with `</s>`, `target` starts with `<s>` and ends with `</s>`."""

    source: list[int]
    target: list[int]

    @property
    def cost(self) -> int:
        """Positions the pair fills on its longer side."""
        return max(len(self.source), len(self.target) - 1)


def plan_epoch(pairs: list[EncodedPair], batch_tokens: int, seed: int, epoch: int) -> list[list[int]]:
    """Group pair indices into batches of at most `batch_tokens` padded positions on either side.

    Pairs are shuffled, sorted by length inside large windows so that little is padded, cut into batches, and the
    batches shuffled. Each pair stands in exactly one batch.

    Args:
        pairs: the encoded training pairs.
        batch_tokens: positions a batch may fill, padding counted; a longer single pair makes its own batch.
        seed: of the run.
        epoch: number of the pass over the data; another epoch gives another order.

    Returns:
        Lists of indices into `pairs`.
    """
    order = list(range(len(pairs)))
    shuffler = random.Random(f"{seed}/{epoch}")
    shuffler.shuffle(order)
    window = 40 * batch_tokens  # pairs; several hundred batches
    batches: list[list[int]] = []
    for start in range(0, len(order), window):
        part = sorted(order[start : start + window], key=lambda i: (pairs[i].cost, len(pairs[i].source)))
        batch: list[int] = []
        for index in part:  # sorted, so the newest pair is the longest so far
            if batch and pairs[index].cost * (len(batch) + 1) > batch_tokens:
                batches.append(batch)
                batch = []
            batch.append(index)
        batches.append(batch)
    shuffler.shuffle(batches)
    return batches


def collate(pairs: list[EncodedPair], pad_id: int) -> tuple[Tensor, Tensor]:
    """Pad to `(batch, source)` and `(batch, target)` int64."""
    return pad_batch([pair.source for pair in pairs], pad_id), pad_batch([pair.target for pair in pairs], pad_id)
