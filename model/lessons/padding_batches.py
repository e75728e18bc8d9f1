"""Padded batches of sequences of different lengths: the padding mask, and the effect of leaving it out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..networks.masks import causal_mask, pad_batch, padding_mask
from ..networks.tap import Recorder, identity_tap
from ..networks.transformer import Transformer

SPECIAL = 4  # ids below are padding, unknown, begin and end of sentence
MOST_SEQUENCES, MOST_TOKENS = 16, 40


@dataclass(frozen=True, eq=False)
class RaggedBatch:
    """A padded batch of B sequences, the longest of which has L tokens, and its masks (True: visible)."""

    ids: np.ndarray  # `(B, L)` int64, 0 where padded
    padding: np.ndarray  # `(B, 1, 1, L)` bool, False on padding; it broadcasts over heads and queries
    causal: np.ndarray  # `(1, 1, L, L)` bool


def ragged_batch(lengths: Sequence[int], vocabulary: int = 100, seed: int = 0) -> RaggedBatch:
    """Draw sequences of random ids with the given lengths, padded with 0 to the longest.

    Args:
        lengths: tokens of each sequence, each at least 1.
        vocabulary: ids are drawn from 4 to `vocabulary` - 1.

    Raises:
        ValueError: no sequence, or one that is empty.
    """
    if not lengths or min(lengths) < 1:
        raise ValueError("A batch needs at least one sequence, and each sequence at least one token.")
    generator = torch.Generator().manual_seed(seed)
    sequences = [torch.randint(SPECIAL, vocabulary, (length,), generator=generator).tolist() for length in lengths]
    return pad_sequences(sequences)


def pad_sequences(sequences: Sequence[Sequence[int]]) -> RaggedBatch:
    """Pad sequences of ids with 0 to the longest.

    Raises:
        ValueError: no sequence, an empty one, or one with a 0, which would be masked as padding.
    """
    if not sequences or not all(sequences):
        raise ValueError("A batch needs at least one sequence, and each sequence at least one token.")
    if any(id == 0 for sequence in sequences for id in sequence):
        raise ValueError("Id 0 is the padding itself; a sequence cannot hold it.")
    ids = pad_batch([list(sequence) for sequence in sequences], 0)
    return RaggedBatch(ids.numpy(), padding_mask(ids, 0).numpy(), causal_mask(ids.shape[1]).numpy())


@dataclass(frozen=True, eq=False)
class PaddingEffect:
    """A batch in the encoder with and without the padding mask."""

    # `(layer, head, B, L, L)` float32 weights, with and without the mask
    masked: np.ndarray
    unmasked: np.ndarray
    # of each `(layer, head)`: the largest weight of a real query on padding with the mask, which is exactly 0, and the
    # largest share of a real query's attention on padding without the mask
    on_padding: np.ndarray
    without_mask: np.ndarray
    alone: float  # largest |difference| between a sequence's outputs in the masked batch and on its own
    alone_without_mask: float  # the same for the batch without the mask


@torch.inference_mode()
def measure_padding_effect(network: Transformer, batch: RaggedBatch) -> PaddingEffect:
    """Run the encoder on the batch three ways: with its padding mask, without, and one sequence at a time.

    The outputs that are compared are the last layer's.
    """
    ids, mask = (torch.from_numpy(part).to(network.device) for part in (batch.ids, batch.padding))
    masked, masked_out = _encode(network, ids, mask)
    unmasked, unmasked_out = _encode(network, ids, None)
    lengths = batch.padding[:, 0, 0].sum(axis=1)
    # one run a sequence in the same explicit form of attention, so that only rounding differs
    alone = [network.encode(ids[row : row + 1, :length], None, identity_tap)[0] for row, length in enumerate(lengths)]
    real = batch.padding[:, 0, 0]  # (B, L)
    on_padding = real[:, :, None] & ~real[:, None, :]  # (B, query, key)
    wasted = np.where(on_padding, unmasked, 0).sum(axis=-1)  # (layer, head, B, query)
    return PaddingEffect(
        masked,
        unmasked,
        np.where(on_padding, masked, 0).max(axis=(-3, -2, -1)),
        wasted.max(axis=(-2, -1)),
        _furthest(masked_out, alone),
        _furthest(unmasked_out, alone),
    )


def _encode(network: Transformer, ids: Tensor, mask: Tensor | None) -> tuple[np.ndarray, Tensor]:
    names = [f"encoder.{layer}.self.weights" for layer in range(network.config.n_encoder_layers)]
    recorder = Recorder(set(names))
    out = network.encode(ids, mask, recorder)  # (B, L, d_model)
    weights = torch.stack([recorder.tensors[name] for name in names])  # (layer, B, head, L, L)
    return weights.transpose(1, 2).float().cpu().numpy(), out


def _furthest(batch: Tensor, alone: list[Tensor]) -> float:
    return max(float((batch[row, : len(single)] - single).abs().max()) for row, single in enumerate(alone))
