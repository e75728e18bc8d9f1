"""Vectors in the plane and in space: their span, their independence, and coordinates in their basis."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

DECIMALS = 3  # of the numbers that a user types: with them determinant and rank are exact


@dataclass(frozen=True)
class Vectors:
    """As many vectors as there are dimensions, and a point.

    Attributes:
        vectors: each of n numbers, rounded to `DECIMALS`.
        point: n numbers, likewise.

    Raises:
        ValueError: they do not have as many numbers as there are vectors.
    """

    vectors: tuple[tuple[float, ...], ...]
    point: tuple[float, ...]

    def __post_init__(self) -> None:
        if any(len(each) != len(self.vectors) for each in (*self.vectors, self.point)):
            raise ValueError(f"{len(self.vectors)} vectors and the point need {len(self.vectors)} numbers each.")

    @property
    def matrix(self) -> np.ndarray:
        """The vectors as columns, `(n, n)`."""
        return np.array(self.vectors, dtype=np.float64).T

    @cached_property
    def determinant(self) -> float:
        """Area or volume between the vectors, with its sign; exact: 0 means dependent."""
        return float(_eliminate(self.vectors)[1])

    @cached_property
    def rank(self) -> int:
        """Dimension of the span: 0 is the origin alone, 1 a line, 2 a plane, 3 all of space."""
        return _eliminate(self.vectors)[0]

    @property
    def independent(self) -> bool:
        """Whether no vector is a combination of the others."""
        return self.rank == len(self.vectors)

    @cached_property
    def reached(self) -> bool:
        """Whether the point lies in the span, computed exactly."""
        return _eliminate((*self.vectors, self.point))[0] == self.rank

    @cached_property
    def coordinates(self) -> np.ndarray | None:
        """The point in the basis of the vectors, `(n,)`, by Cramer's rule; None where they are dependent."""
        if not self.independent:
            return None
        rows = [[*self.vectors[:place], self.point, *self.vectors[place + 1 :]] for place in range(len(self.vectors))]
        whole = _eliminate(self.vectors)[1]
        return np.array([float(_eliminate(each)[1] / whole) for each in rows])

    @cached_property
    def nearest(self) -> np.ndarray:
        """The projection of the point on the span, `(n,)`."""
        left, sizes, _ = np.linalg.svd(self.matrix)
        basis = left[:, : self.rank]  # orthonormal columns of the column space
        return basis @ (basis.T @ np.array(self.point))

    @property
    def distance(self) -> float:
        """Distance from the point to the span; 0 where it lies in it."""
        return 0.0 if self.reached else float(np.linalg.norm(np.array(self.point) - self.nearest))

    def difference(self) -> float:
        """The larger of two relative differences.

        Of the determinant to LAPACK's, relative to the product of the vectors' lengths; and of the point to the
        combination of the vectors by its coordinates, relative to the sum of the sizes of the terms.
        """
        lengths = float(np.prod(np.linalg.norm(self.matrix, axis=0))) or 1.0
        of_determinant = abs(self.determinant - float(np.linalg.det(self.matrix))) / lengths
        if self.coordinates is None:
            return of_determinant
        sizes = np.abs(self.matrix) @ np.abs(self.coordinates) + np.abs(self.point)
        apart = np.abs(self.matrix @ self.coordinates - self.point)
        return max(of_determinant, float((apart / np.where(sizes > 0, sizes, 1)).max()))


def _eliminate(rows: Sequence[Sequence[float]]) -> tuple[int, Fraction]:
    """Rank and, of a square matrix, determinant, by elimination in fractions, without rounding."""
    scale = 10**DECIMALS
    left = [[Fraction(round(number * scale), scale) for number in row] for row in rows]
    rank, product = 0, Fraction(1)
    for column in range(len(left[0])):
        pivot = next((row for row in range(rank, len(left)) if left[row][column]), None)
        if pivot is None:
            product = Fraction(0)
            continue
        if pivot != rank:
            left[rank], left[pivot] = left[pivot], left[rank]
            product = -product
        product *= left[rank][column]
        for row in range(rank + 1, len(left)):
            share = left[row][column] / left[rank][column]
            left[row] = [below - share * above for below, above in zip(left[row], left[rank], strict=True)]
        rank += 1
    return rank, product
