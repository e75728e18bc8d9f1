"""The number to add to a score, before the softmax, so that its key gets a wanted weight.

With delta on the score of a key whose weight is w, the softmax gives it the weight sigmoid(logit(w) + delta), and every
other key of the row its former weight times one common factor.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..tracing.head_interventions import LARGEST_DELTA, InterventionError

REMOVED, ALL = -math.inf, LARGEST_DELTA  # what gives the weight 0, and in single precision the weight 1


def pulled_weights(weights: Sequence[float] | np.ndarray, delta: float | np.ndarray) -> np.ndarray:
    """Compute the weights of one key in several heads with `delta` added to its score in each: `(head,)` float64."""
    old = np.asarray(weights, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / (1 + (1 - old) / old * np.exp(-np.asarray(delta, dtype=np.float64)))


def solve_delta(weights: Sequence[float] | np.ndarray, wanted: float) -> float:
    """Find the number that makes the mean of one key's weights over heads `wanted`; the same number in every head.

    Args:
        weights: `(head,)`, of one query and one key.
        wanted: from 0 to 1.

    Returns:
        -inf for 0, `LARGEST_DELTA` for 1.

    Raises:
        InterventionError: see `solve_deltas`.
    """
    return solve_deltas([weights], [wanted])[0]


def solve_deltas(weights: Sequence[Sequence[float] | np.ndarray], wanted: Sequence[float]) -> list[float]:
    """Compute `solve_delta` of several keys, each with its weights over heads and its wanted mean.

    The mean rises with the number, so that there is one solution.

    Args:
        weights: `(key, head)`.
        wanted: `(key,)`.

    Raises:
        InterventionError: a wanted weight is out of range, or no number can change the weights: they are 0, as behind
            the mask, or 1, as those of a row's only key.
    """
    old, means = np.asarray(weights, dtype=np.float64), np.asarray(wanted, dtype=np.float64)
    for own, mean in zip(old, means, strict=True):
        if not 0 <= mean <= 1:
            raise InterventionError("The weight is {weight}; it must be from 0 to 1.", weight=mean)
        if not ((own > 0) & (own < 1)).all():
            raise InterventionError(
                "The weight of that key is {weight:g} whatever its score; choose another.", weight=own.max()
            )
    deltas = np.where(means == 1, ALL, REMOVED)
    inner = (means > 0) & (means < 1)
    if inner.any():
        deltas[inner] = _bisect(old[inner], means[inner])
    return deltas.tolist()


def _bisect(old: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Halve the range of each number until no float lies within: weights `(key, head)` and means `(key,)`."""
    logits, target = np.log(old) - np.log1p(-old), np.log(wanted) - np.log1p(-wanted)
    low, high = target - logits.max(axis=1), target - logits.min(axis=1)  # all heads below the wanted weight, and above
    while (inside := (low < (middle := (low + high) / 2)) & (middle < high)).any():
        below = pulled_weights(old, middle[:, None]).mean(axis=1) < wanted
        low, high = np.where(inside & below, middle, low), np.where(inside & ~below, middle, high)
    return high
