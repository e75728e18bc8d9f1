"""Attention masks. In this project True always means "this query may attend to this key"."""

import torch
from torch import Tensor


def padding_mask(ids: Tensor, pad_id: int) -> Tensor:
    """Mask the padding of `(batch, key)` ids: `(batch, 1, 1, key)` bool; it broadcasts over heads and queries."""
    return (ids != pad_id)[:, None, None, :]  # (batch, 1, 1, key)


def causal_mask(length: int, device: torch.device | str | None = None) -> Tensor:
    """Query i may attend to keys 0..i (Vaswani et al. 2017, section 3.2.3): `(1, 1, length, length)` bool."""
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()[None, None]  # (1, 1, query, key)


def pad_batch(sequences: list[list[int]], pad_id: int) -> Tensor:
    """Pad id lists of any lengths on the right with `pad_id`.

    Returns:
        `(len(sequences), longest)` int64.

    Raises:
        ValueError: the list is empty.
    """
    if not sequences:
        raise ValueError("A batch needs at least one sequence.")
    longest = max(len(sequence) for sequence in sequences)
    batch = torch.full((len(sequences), longest), pad_id, dtype=torch.int64)
    for row, sequence in enumerate(sequences):
        batch[row, : len(sequence)] = torch.tensor(sequence, dtype=torch.int64)
    return batch
