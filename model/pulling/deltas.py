"""The number to add to a score, before the softmax, so that its key gets a wanted weight.

With delta on the score of a key whose weight is w, the softmax gives it the weight sigmoid(logit(w) + delta), and every
other key of the row its former weight times one common factor.
"""

import math
from collections.abc import Sequence

import numpy as np

from ..tracing.head_interventions import LARGEST_DELTA, InterventionError

REMOVED, ALL = -math.inf, LARGEST_DELTA  # what gives the weight 0, and in single precision the weight 1


def pulled_weights(weights: Sequence[float] | np.ndarray, delta: float) -> np.ndarray:
    """Compute the weights of one key in several heads with `delta` added to its score in each: `(head,)` float64."""
    old = np.asarray(weights, dtype=np.float64)
    with np.errstate(divide="ignore", over="ignore"):
        return 1 / (1 + (1 - old) / old * np.exp(-np.float64(delta)))


def solve_delta(weights: Sequence[float] | np.ndarray, wanted: float) -> float:
    """Find the number that makes the mean of one key's weights over heads `wanted`; the same number in every head.

    The mean rises with the number, so that there is one solution.

    Args:
        weights: `(head,)`, of one query and one key.
        wanted: from 0 to 1.

    Returns:
        -inf for 0, `LARGEST_DELTA` for 1.

    Raises:
        InterventionError: `wanted` is out of range, or no number can change the weights: they are 0, as behind the
            mask, or 1, as those of a row's only key.
    """
    old = np.asarray(weights, dtype=np.float64)
    if not 0 <= wanted <= 1:
        raise InterventionError("The weight is {weight}; it must be from 0 to 1.", weight=wanted)
    if not ((old > 0) & (old < 1)).all():
        raise InterventionError(
            "The weight of that key is {weight:g} whatever its score; choose another.", weight=old.max()
        )
    if wanted in (0, 1):
        return ALL if wanted else REMOVED
    logits = np.log(old) - np.log1p(-old)
    target = math.log(wanted) - math.log1p(-wanted)
    low, high = target - logits.max(), target - logits.min()  # all heads below the wanted weight, all heads above
    while low < (middle := (low + high) / 2) < high:
        if pulled_weights(old, middle).mean() < wanted:
            low = middle
        else:
            high = middle
    return float(high)
