"""Properties of sinusoidal positions: shifts are rotations, products depend on distance only, waves are orthogonal."""

import math
from dataclasses import dataclass

import numpy as np
import torch

from ..networks.positional import EncodingForm, rotation, sinusoidal_angles, sinusoidal_encoding


@dataclass(frozen=True, eq=False)
class ShiftMatrix:
    """A shift of all positions as a matrix on the encoding."""

    # `(d_model, d_model)` float64: the paper's rotation, or the fitted matrix in the variant
    matrix: np.ndarray
    residual: float  # largest |PE(pos + shift) - matrix PE(pos)| over all positions and columns
    # largest difference between `matrix` and one fitted to the table without the formula; 0 in the variant, where
    # `matrix` is the fitted one
    fitted_difference: float


def find_shift_matrix(length: int, d_model: int, shift: int, form: EncodingForm = "paper") -> ShiftMatrix:
    """Find the matrix that moves the first `length` positions by `shift`.

    In the paper's form it is known (`model.networks.positional.rotation`) and a fit confirms it. In the variant the two
    columns of a pair have different frequencies, so no matrix of 2 x 2 blocks is exact; the least squares fit is
    returned.

    Args:
        length: positions to test, at least 2.
        d_model: even.
        shift: at least 0.
    """
    table, turned = sinusoidal_encoding(length + shift, d_model, torch.float64, form), rotation(shift, d_model)
    # program: shift
    before, after = table[:length], table[shift:]  # (length, d_model) each
    pairs = (each.unflatten(1, (-1, 2)).transpose(0, 1) for each in (before, after))  # (pair, length, 2)
    fitted = torch.block_diag(*torch.linalg.lstsq(*pairs).solution.transpose(1, 2))  # the best blocks, least squares
    matrix = turned if form == "paper" else fitted  # with a frequency for every column no rotation is exact
    residual = (after - before @ matrix.T).abs().max()
    # end of program
    return ShiftMatrix(matrix.numpy(), float(residual), float((matrix - fitted).abs().max()))


@dataclass(frozen=True, eq=False)
class PositionSimilarity:
    """Inner products of all positions with each other."""

    products: np.ndarray  # `(length, length)` float64, PE(p) . PE(q)
    # `(length,)` mean, smallest and largest PE(p) . PE(p + k) over p, for k = 0, 1, ...
    by_distance: np.ndarray
    smallest: np.ndarray
    largest: np.ndarray

    @property
    def spread(self) -> np.ndarray:
        """`(length,)` largest minus smallest for each k: 0 where the product depends on k only."""
        return self.largest - self.smallest

    @property
    def exceeded(self) -> int:
        """Number of positions with a larger product with another one than with themselves, by more than rounding."""
        own = np.diagonal(self.products)[:, None]
        return int((self.products > own * (1 + 1e-12)).any(axis=1).sum())


def measure_similarity(length: int, d_model: int, form: EncodingForm = "paper") -> PositionSimilarity:
    """Compute PE(p) . PE(q) for all pairs; in the paper's form it is the sum of cos((p - q) / 10000^(2i / d_model))."""
    table = sinusoidal_encoding(length, d_model, torch.float64, form)
    # program: similarity
    products = table @ table.T  # (p, q): PE(p) . PE(q)
    diagonals = [products.diagonal(k) for k in range(length)]  # PE(p) . PE(p + k)
    by_distance = torch.stack([diagonal.mean() for diagonal in diagonals])
    smallest = torch.stack([diagonal.min() for diagonal in diagonals])
    largest = torch.stack([diagonal.max() for diagonal in diagonals])
    # end of program
    return PositionSimilarity(products.numpy(), by_distance.numpy(), smallest.numpy(), largest.numpy())


def wave_product(d_model: int, first: int, second: int, spans: np.ndarray, form: EncodingForm = "paper") -> np.ndarray:
    """Inner product of two columns as waves of a continuous position, for several spans.

    It is 2 / span times the integral of their product from 0 to the span: over whole periods 1 for a wave with itself,
    0 for orthogonal waves.

    Args:
        first, second: columns, below `d_model`.
        spans: `(n,)` above 0, in positions.

    Returns:
        `(n,)` float64, in closed form, so that no fast wave is lost by sampling.
    """
    frequencies = sinusoidal_angles(2, d_model, form)[1]  # (d_model,) radians a position
    (a, b) = (float(frequencies[column]) for column in (first, second))
    # every column is a cosine: sin(x) = cos(x - pi / 2)
    phase_a, phase_b = (0.0 if column % 2 else -math.pi / 2 for column in (first, second))
    return _mean_cosine(a - b, phase_a - phase_b, spans) + _mean_cosine(a + b, phase_a + phase_b, spans)


def _mean_cosine(frequency: float, phase: float, spans: np.ndarray) -> np.ndarray:
    """Mean of cos(frequency x + phase) for x from 0 to each span."""
    if frequency == 0:
        return np.full(len(spans), math.cos(phase))
    return (np.sin(frequency * spans + phase) - math.sin(phase)) / (frequency * spans)


@dataclass(frozen=True, eq=False)
class PositionSchemes:
    """Positions of a sentence in three schemes."""

    integers: np.ndarray  # `(length,)` 0, 1, 2, ...
    normalised: np.ndarray  # `(length,)` from 0 to 1
    sinusoids: np.ndarray  # `(length, d_model)`

    def table(self, scheme: str) -> np.ndarray:
        """One of the three as `(length, columns)`."""
        values = getattr(self, scheme)
        return values[:, None] if values.ndim == 1 else values

    def largest(self, scheme: str) -> float:
        """The largest |value|."""
        return float(np.abs(self.table(scheme)).max())

    def step(self, scheme: str) -> float:
        """Distance between the first two positions."""
        table = self.table(scheme)
        return float(np.linalg.norm(table[1] - table[0]))

    def closest(self, scheme: str) -> float:
        """Smallest distance between any two positions: above 0 where every position is unique."""
        table = self.table(scheme)
        squares = (table**2).sum(1)
        distances = squares[:, None] + squares[None] - 2 * table @ table.T  # (length, length)
        np.fill_diagonal(distances, np.inf)
        first, second = np.unravel_index(distances.argmin(), distances.shape)
        return float(np.linalg.norm(table[first] - table[second]))


def number_positions(length: int, d_model: int) -> PositionSchemes:
    """Integer, normalised and sinusoidal positions of a sentence of `length` tokens, at least 2.

    Raises:
        ValueError: fewer than two positions.
    """
    if length < 2:
        raise ValueError(f"{length} positions cannot be compared; take at least 2.")
    integers = np.arange(length, dtype=np.float64)
    return PositionSchemes(
        integers, integers / (length - 1), sinusoidal_encoding(length, d_model, torch.float64).numpy()
    )
