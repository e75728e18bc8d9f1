"""The last two steps of the decoder: a linear map to one logit for every token, and the softmax over them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.transformer import Transformer
from ..runtime.arrays import largest_difference, softmax
from ..tracing.trace import Trace

TOLERANCE = 1e-6  # largest distance from 1 of the sum of a distribution that a user types


@dataclass(frozen=True, eq=False)
class OutputStep:
    """Linear and softmax at one decoder position (Vaswani et al. 2017, section 3.4)."""

    hidden: np.ndarray  # `(d_model,)`, output of the last decoder layer
    logits: np.ndarray  # `(vocabulary,)` float64, the inner product of `hidden` with each token's row of the embedding
    probabilities: np.ndarray  # `(vocabulary,)` float64, their softmax
    difference: float  # largest difference between `logits` and those the network computed itself


@torch.inference_mode()
def recompute_output(network: Transformer, trace: Trace, position: int) -> OutputStep:
    """Recompute the output layer at decoder position `position` (from 0) in double precision."""
    step = position + 1
    # program: linear-softmax
    hidden = torch.from_numpy(
        trace.decoder_stream[-1, step - 1]
    ).double()  # (d_model,), output of the last decoder layer
    embedding = network.embedding.weight.cpu().double()  # (vocabulary, d_model), the output layer has the same weights
    logits = embedding @ hidden  # (vocabulary,)
    powers = (logits - logits.max()).exp()
    probabilities = powers / powers.sum()
    # end of program
    difference = largest_difference(logits.numpy(), trace.logits[position])
    return OutputStep(hidden.numpy(), logits.numpy(), probabilities.numpy(), difference)


@dataclass(frozen=True)
class ScoreRow:
    """A row of numbers taken as scores: its largest one, and whether the row is a distribution."""

    values: tuple[float, ...]
    argmax: int  # index of the largest, from 0; the first of equals
    total: float  # the sum
    is_distribution: bool  # no number is negative and the sum is 1 within `TOLERANCE`
    softmax: tuple[float, ...]  # of the row; always a distribution
    difference: float  # largest difference of the softmax to PyTorch's, both in double precision


def check_row(values: Sequence[float]) -> ScoreRow:
    """Check whether a row is a distribution, and apply the softmax to it.

    Raises:
        ValueError: the row is empty or contains something other than a finite number.
    """
    if not values or not np.isfinite(values).all():
        raise ValueError("A row needs at least one number, and all of them finite.")
    array = np.array(values, dtype=np.float64)
    total = float(array.sum())
    is_distribution = bool((array >= 0).all()) and abs(total - 1) <= TOLERANCE
    probabilities = softmax(array)
    difference = largest_difference(probabilities, torch.from_numpy(array).softmax(dim=0).numpy())
    return ScoreRow(
        tuple(array.tolist()), int(array.argmax()), total, is_distribution, tuple(probabilities.tolist()), difference
    )
