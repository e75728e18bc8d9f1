"""Vectors in the plane and in space: their span, their independence, and coordinates in their basis."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import gcd, sqrt

import numpy as np

ROUNDING = 1e-3  # a point of three decimals is this near to a plane in which it was put
DECIMALS = 3  # of the numbers that a user types: with them determinant and rank are exact


@dataclass(frozen=True)
class Vectors:
    """As many vectors as there are dimensions, or fewer, and a point.

    Raises:
        ValueError: they do not have equally many numbers, or there are more vectors than dimensions.
    """

    vectors: tuple[tuple[float, ...], ...]  # each of n numbers, rounded to `DECIMALS`
    point: tuple[float, ...]  # n numbers, likewise

    def __post_init__(self) -> None:
        dimensions = len(self.point)
        if len(self.vectors) > dimensions or any(len(each) != dimensions for each in self.vectors):
            raise ValueError(f"{len(self.vectors)} vectors and the point need {len(self.vectors)} numbers each.")

    @property
    def matrix(self) -> np.ndarray:
        """The vectors as columns, `(n, vector)`."""
        return np.array(self.vectors, dtype=np.float64).T

    @cached_property
    def determinant(self) -> float:
        """Area or volume between the vectors, with its sign where there are n; exact: 0 means dependent."""
        if len(self.vectors) == len(self.point):
            return float(_eliminate(self.vectors)[1])
        return sqrt(self._gram_determinant)

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
        """Whether the point lies in the span, computed exactly; with fewer vectors than n, within `ROUNDING`."""
        if _eliminate((*self.vectors, self.point))[0] == self.rank:
            return True
        apart = float(np.linalg.norm(np.array(self.point) - self.nearest))
        return len(self.vectors) < len(self.point) and apart <= ROUNDING

    @cached_property
    def coordinates(self) -> np.ndarray | None:
        """The point as a combination, `(vector,)`, by Cramer's rule; None if dependent or if the span misses it."""
        if not self.independent or not self.reached:
            return None
        if len(self.vectors) < len(self.point):
            gram, products = self._gram
            square = float(_determinant(gram))
            replaced = [[*gram[:place], products, *gram[place + 1 :]] for place in range(len(gram))]
            return np.array([float(_determinant(each)) / square for each in replaced])
        rows = [[*self.vectors[:place], self.point, *self.vectors[place + 1 :]] for place in range(len(self.vectors))]
        whole = _eliminate(self.vectors)[1]
        return np.array([float(_eliminate(each)[1] / whole) for each in rows])

    @cached_property
    def relation(self) -> tuple[int, ...] | None:
        """Whole coefficients, not all 0, of a combination that gives 0; None where the vectors are independent."""
        for count in range(1, len(self.vectors) + 1):
            for chosen in combinations(range(len(self.vectors)), count):
                rows = [self.vectors[place] for place in chosen]
                if _eliminate(rows)[0] < count:
                    found = _smallest_relation([list(map(_thousandths, row)) for row in rows])
                    by_place = dict(zip(chosen, found, strict=True))
                    return tuple(by_place.get(place, 0) for place in range(len(self.vectors)))
        return None

    @cached_property
    def _gram(self) -> tuple[list[list[Fraction]], list[Fraction]]:
        """Inner products of the vectors with each other, and with the point; exact."""
        exact = [[_fraction(number) for number in row] for row in (*self.vectors, self.point)]
        dot = lambda one, other: sum((a * b for a, b in zip(one, other, strict=True)), Fraction(0))  # noqa: E731
        *vectors, point = exact
        return [[dot(one, other) for other in vectors] for one in vectors], [dot(each, point) for each in vectors]

    @property
    def _gram_determinant(self) -> Fraction:
        return _determinant(self._gram[0])

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
        combination of the vectors by its coordinates, relative to the sum of the sizes of the terms. With fewer vectors
        than dimensions it is the area and the product of the singular values, and the rest of the point and a right
        angle.
        """
        lengths = float(np.prod(np.linalg.norm(self.matrix, axis=0))) or 1.0
        square = len(self.vectors) == len(self.point)
        if square:
            again = float(np.linalg.det(self.matrix))
        else:
            again = float(np.prod(np.linalg.svd(self.matrix, compute_uv=False)))
        of_determinant = abs(self.determinant - again) / lengths
        if self.coordinates is None:
            return of_determinant
        sizes = np.abs(self.matrix) @ np.abs(self.coordinates) + np.abs(self.point)
        apart = np.abs(self.matrix @ self.coordinates - self.point)
        if not square:  # the point may be rounded: what is left of it is perpendicular to the vectors
            left = self.matrix @ self.coordinates - self.point
            apart, sizes = np.abs(self.matrix.T @ left), np.abs(self.matrix).T @ sizes
        return max(of_determinant, float((apart / np.where(sizes > 0, sizes, 1)).max()))


def _eliminate(rows: Sequence[Sequence[float]]) -> tuple[int, Fraction]:
    """Rank and, of a square matrix, determinant, by elimination in fractions, without rounding."""
    left = [[_fraction(number) for number in row] for row in rows]
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


def _thousandths(number: float) -> int:
    return round(number * 10**DECIMALS)


def _fraction(number: float) -> Fraction:
    return Fraction(_thousandths(number), 10**DECIMALS)


def _determinant(rows: Sequence[Sequence[Fraction]]) -> Fraction:
    """Determinant of one, two or three rows, by expansion."""
    if len(rows) == 1:
        return rows[0][0]
    minors = ([[*row[:column], *row[column + 1 :]] for row in rows[1:]] for column in range(len(rows)))
    terms = (number * _determinant(minor) for number, minor in zip(rows[0], minors, strict=True))
    return sum((-term if column % 2 else term for column, term in enumerate(terms)), Fraction(0))


def _smallest_relation(rows: list[list[int]]) -> list[int]:
    """Coefficients of a sum of 0 of dependent vectors of which every smaller selection is independent."""
    if len(rows) == 1:
        found = [1]
    elif len(rows) == 2:
        found = next([b, -a] for a, b in zip(*rows, strict=True) if a or b)
    else:  # perpendicular to two coordinates of the three vectors, as long as these are not parallel
        coordinates = combinations(list(zip(*rows, strict=True)), 2)
        crossed = (
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]] for a, b in coordinates
        )
        found = next(each for each in crossed if any(each))
    divisor = gcd(*found) * (1 if next(number for number in found if number) > 0 else -1)
    return [number // divisor for number in found]
