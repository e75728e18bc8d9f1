"""Do two lists of numbers agree on the order? Spearman's rank correlation (Spearman 1904)."""

import numpy as np

FEWEST = 3  # values; any two numbers that differ are ordered one way or the other, which says nothing


def average_ranks(values: np.ndarray) -> np.ndarray:
    """Ranks of `values` `(n,)` from 1, smallest first; equal values share the mean of the ranks they take up."""
    _, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[where]


def spearman(first: np.ndarray, second: np.ndarray) -> float | None:
    """Pearson's correlation of the ranks: 1 for the same order, -1 for the opposite one.

    Args:
        first, second: `(n,)` each.

    Returns:
        None where it is not defined: fewer than three values, or all values of one side equal.

    Raises:
        ValueError: the two differ in length, or hold something that is no number.
    """
    if first.shape != second.shape or first.ndim != 1:
        raise ValueError(f"Two lists of one length are needed, not {first.shape} and {second.shape}.")
    if np.isnan(first).any() or np.isnan(second).any():
        raise ValueError("A value that is no number has no rank.")
    if len(first) < FEWEST:
        return None
    # Deviations from the mean rank, times two: whole numbers, so that equal orders give exactly 1.
    a, b = (2 * average_ranks(values) - (len(values) + 1) for values in (first, second))
    length = float((a @ a) * (b @ b)) ** 0.5
    return float(a @ b) / length if length else None
