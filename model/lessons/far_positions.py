"""Similarity of positions that are far apart: does a small base of the encoding make them alike?"""

from dataclasses import dataclass

import numpy as np

LAST, APART = 1000, 100  # positions 0 to LAST are compared; more than APART apart is far


@dataclass(frozen=True)
class FarPositions:
    """Cosines between positions 0 to `LAST`."""

    largest: float  # the largest cosine of two positions that are more than `APART` apart
    half: int | None  # the smallest distance whose mean cosine is below one half; None if there is none


def measure_far_positions(wavelengths: np.ndarray) -> FarPositions:
    """Compare all positions of an encoding with these wavelengths.

    Args:
        wavelengths: `(d_model,)` positions per period of each column; even columns are sines, odd ones cosines.
    """
    angles = 2 * np.pi * np.arange(LAST + 1)[:, None] / wavelengths  # (position, d_model)
    table = np.where(np.arange(len(wavelengths)) % 2, np.cos(angles), np.sin(angles))
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    cosines = table @ table.T  # (position, position)
    largest = max(float(np.diagonal(cosines, distance).max()) for distance in range(APART + 1, LAST + 1))
    means = (float(np.diagonal(cosines, distance).mean()) for distance in range(LAST + 1))
    half = next((distance for distance, mean in enumerate(means) if mean < 0.5), None)
    return FarPositions(largest, half)
