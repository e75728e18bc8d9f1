"""How much the columns of the position encoding overlap over a sentence: cosines of every two of them."""

from dataclasses import dataclass

import numpy as np

from ..networks.positional import EncodingForm, positional_table, wavelengths

SEED = 0  # of the random columns


@dataclass(frozen=True, eq=False)
class ColumnOverlap:
    """Cosines of the columns over the first positions; float64."""

    cosines: np.ndarray  # `(d_model, d_model)`; 0 where two columns are orthogonal over these positions, 1 with itself
    turning: np.ndarray  # `(d_model,)` bool, whether a column completes at least one period within the positions
    random: float  # mean |cosine| of two columns of independent normal numbers, for comparison
    difference: float  # largest |difference| of the cosines from those of columns that are normalised first

    @property
    def mean(self) -> float:
        """Mean |cosine| of two different columns."""
        return _mean_of_pairs(self.cosines)

    @property
    def mean_of_turning(self) -> float | None:
        """The same for columns with at least one period; None for fewer than two of them."""
        return self._mean_within(self.turning)

    @property
    def mean_of_slow(self) -> float | None:
        """The same for columns with less than a period; None for fewer than two of them."""
        return self._mean_within(~self.turning)

    def _mean_within(self, chosen: np.ndarray) -> float | None:
        return _mean_of_pairs(self.cosines[np.ix_(chosen, chosen)]) if chosen.sum() > 1 else None


def measure_overlap(length: int, d_model: int, form: EncodingForm = "paper") -> ColumnOverlap:
    """Compute the cosines of all columns over the first `length` positions, at least 2."""
    table = positional_table(length, d_model, form)
    noise = np.random.default_rng(SEED).normal(size=table.shape)
    unit = table / np.linalg.norm(table, axis=0)
    cosines = _cosines(table)
    turning = wavelengths(d_model, form).numpy() <= length
    random = _mean_of_pairs(_cosines(noise))
    return ColumnOverlap(cosines, turning, random, float(np.abs(cosines - unit.T @ unit).max()))


def _cosines(table: np.ndarray) -> np.ndarray:
    """Inner products of all columns, divided by the product of their lengths."""
    products = table.T @ table
    lengths = np.sqrt(products.diagonal())
    return products / np.outer(lengths, lengths)


def _mean_of_pairs(cosines: np.ndarray) -> float:
    """Mean |cosine| of two different columns."""
    count = len(cosines)
    return float((np.abs(cosines).sum() - np.abs(cosines.diagonal()).sum()) / (count * (count - 1)))
