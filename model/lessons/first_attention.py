"""Attention over the encoder's states, step by step: the decoder state is the query, encoder states are the keys."""

from dataclasses import dataclass

import numpy as np

from ..networks.recurrent_trace import AlignmentRecord, RecurrentTrace


@dataclass(frozen=True, eq=False)
class FirstAttention:
    """Every step of the decoder, T steps over S source tokens; float64, recomputed."""

    queries: np.ndarray  # `(T, decoder_width)`, s_{t-1} of the additive score, s_t of the dot product
    states: np.ndarray  # `(S, state_width)`, the encoder's states, which are both keys and values
    scores: np.ndarray  # `(T, S)`, v . tanh(W s + U h + b) or s . h.
    exponentials: np.ndarray  # `(T, S)`, e^(score - the largest of the step)
    weights: np.ndarray  # `(T, S)`, exponentials divided by their sum
    contexts: np.ndarray  # `(T, state_width)`, the weighted means
    difference: float  # largest |difference| of weights and context vectors to those of the network
    row_sum_error: float  # largest distance of a step's recorded weights from 1 in sum


def recompute_first_attention(trace: RecurrentTrace) -> FirstAttention:
    """Recompute scores, weights and context vectors of a network with alignment.

    Raises:
        KeyError: the network has one context vector and no attention.
    """
    record = trace.records["cross"]
    assert isinstance(record, AlignmentRecord)
    queries, states = (part[0, 0].astype(np.float64) for part in (record.queries, record.keys))
    if record.parameters:
        parameters = {name: array.astype(np.float64) for name, array in record.parameters.items()}
        projected = queries @ parameters["W"].T + parameters["b"]  # (T, width)
        scores = np.tanh(projected[:, None] + states @ parameters["U"].T) @ parameters["v"]  # (T, S)
    else:
        scores = queries @ states.T
    exponentials = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=1, keepdims=True)
    contexts = weights @ states
    recorded = record.weights[0, 0].astype(np.float64), record.outputs[0, 0].astype(np.float64)
    difference = max(float(np.abs(weights - recorded[0]).max()), float(np.abs(contexts - recorded[1]).max()))
    row_sum_error = float(np.abs(recorded[0].sum(axis=1) - 1).max())
    return FirstAttention(queries, states, scores, exponentials, weights, contexts, difference, row_sum_error)
