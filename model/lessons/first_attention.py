"""Attention over the encoder's states, step by step: the decoder state is the query, encoder states are the keys."""

from dataclasses import dataclass

import numpy as np
import torch

from ..networks.recurrent_trace import AlignmentRecord, RecurrentTrace
from ..runtime.arrays import largest_difference


@dataclass(frozen=True, eq=False)
class FirstAttention:
    """Every step of the decoder, T steps over S source tokens; float64, recomputed."""

    difference: float  # largest |difference| of weights and context vectors to those of the network
    row_sum_error: float  # largest distance of a step's recorded weights from 1 in sum
    queries: np.ndarray  # `(T, decoder_width)`, s_{t-1} of the additive score, s_t of the dot product
    states: np.ndarray  # `(S, state_width)`, the encoder's states, which are both keys and values
    scores: np.ndarray  # `(T, S)`, v . tanh(W s + U h + b) or s . h.
    exponentials: np.ndarray  # `(T, S)`, e^(score - the largest of the step)
    weights: np.ndarray  # `(T, S)`, exponentials divided by their sum
    contexts: np.ndarray  # `(T, state_width)`, the weighted means


def recompute_first_attention(trace: RecurrentTrace) -> FirstAttention:
    """Recompute scores, weights and context vectors of a network with alignment.

    Raises:
        KeyError: the network has one context vector and no attention.
    """
    record = trace.records["cross"]
    assert isinstance(record, AlignmentRecord)
    # program: attention-over-states
    queries, states = (torch.from_numpy(part[0, 0]).double() for part in (record.queries, record.keys))
    if record.parameters:  # of the additive score
        w, b, u, v = (torch.from_numpy(record.parameters[name]).double() for name in "WbUv")
        joined = (queries @ w.T + b)[:, None] + states @ u.T  # (T, S, width)
        scores = joined.tanh() @ v  # (T, S)
    else:
        scores = queries @ states.T
    exponentials = (scores - scores.max(dim=1, keepdim=True).values).exp()
    weights = exponentials / exponentials.sum(dim=1, keepdim=True)
    contexts = weights @ states
    # end of program
    arrays = [part.numpy() for part in (queries, states, scores, exponentials, weights, contexts)]
    difference = max(
        largest_difference(arrays[4], record.weights[0, 0]), largest_difference(arrays[5], record.outputs[0, 0])
    )
    row_sum_error = largest_difference(record.weights[0, 0].sum(axis=1, dtype=np.float64), 1)
    return FirstAttention(difference, row_sum_error, *arrays)
