"""Spans of vectors, on examples that can be computed by hand."""

import numpy as np
import pytest

from model.lessons.vectors import Vectors
from pages.shared.checks import BOUNDS


def test_a_basis_of_the_plane():
    """(2, 1) and (-1, 2): area 2 * 2 - (-1) * 1 = 5; (3, 4) = 2 (2, 1) + 1 (-1, 2)."""
    solution = Vectors(((2, 1), (-1, 2)), (3, 4))
    assert (solution.determinant, solution.rank, solution.independent, solution.reached) == (5, 2, True, True)
    np.testing.assert_allclose(solution.coordinates, [2, 1], atol=1e-15)
    assert solution.distance == 0 and solution.difference() < 1e-15


def test_two_on_one_line_span_a_line():
    """(2, 1) and (4, 2): nothing but the line y = x / 2; (1, 3) comes nearest to it at (2, 1), sqrt(5) away."""
    solution = Vectors(((2, 1), (4, 2)), (1, 3))
    assert (solution.determinant, solution.rank, solution.independent, solution.reached) == (0, 1, False, False)
    assert solution.coordinates is None
    np.testing.assert_allclose(solution.nearest, [2, 1], atol=1e-14)
    assert solution.distance == pytest.approx(5**0.5)
    assert Vectors(((2, 1), (4, 2)), (-6, -3)).reached


def test_tenths_are_exact():
    """0.1 * 0.3 - 0.3 * 0.1 rounds to something else than 0 in floating point, and three times 0.1 is not 0.3."""
    assert Vectors(((0.1, 0.3), (0.2, 0.6)), (0.3, 0.9)).rank == 1
    assert Vectors(((0.1, 0.3), (0.2, 0.6)), (0.3, 0.9)).reached
    assert Vectors(((0.1, 0.3), (0.2, 0.601)), (0, 0)).rank == 2


def test_a_basis_of_space():
    """(1, 0, 0), (1, 1, 0), (1, 1, 1) have volume 1; (6, 5, 3) = 1, 2 and 3 of them."""
    solution = Vectors(((1, 0, 0), (1, 1, 0), (1, 1, 1)), (6, 5, 3))
    assert (solution.determinant, solution.rank) == (1, 3)
    np.testing.assert_allclose(solution.coordinates, [1, 2, 3], atol=1e-14)


def test_three_in_one_plane_of_space():
    """The third is the sum of the first two: a plane, to which (0, 0, 3) has the distance sqrt(3)."""
    solution = Vectors(((1, 0, -1), (0, 1, -1), (1, 1, -2)), (0, 0, 3))
    assert (solution.determinant, solution.rank, solution.reached) == (0, 2, False)
    assert solution.distance == pytest.approx(3**0.5)
    np.testing.assert_allclose(solution.nearest, [-1, -1, 2], atol=1e-14)


def test_the_sign_of_a_determinant_changes_with_the_order():
    assert Vectors(((0, 1), (1, 0)), (0, 0)).determinant == -1
    assert Vectors(((0, 2, 0), (0, 0, 3), (1, 0, 0)), (0, 0, 0)).determinant == 6


def test_zero_vectors_span_the_origin_only():
    solution = Vectors(((0, 0), (0, 0)), (3, 4))
    assert (solution.rank, solution.distance) == (0, 5)
    assert Vectors(((0, 0), (0, 0)), (0, 0)).reached


def test_numbers_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="2 vectors and the point need 2 numbers each"):
        Vectors(((1, 0, 0), (0, 1, 0)), (1, 1))


def test_vectors_that_are_nearly_dependent_keep_the_bound_of_the_check():
    """Coordinates of some hundred million: the sum equals the point to seven digits, closer relative to its terms."""
    solution = Vectors(((20, 19.999), (19.999, 19.998)), (20, -20))
    assert solution.determinant == -1e-6
    np.testing.assert_allclose(solution.coordinates, [-799_940_000, 799_980_000], rtol=1e-15)
    assert solution.difference() <= BOUNDS["vectors"]
    rng = np.random.default_rng(0)
    for dimensions in (2, 3) * 100:
        rows = rng.uniform(-20, 20, (dimensions + 1, dimensions)).round(3)
        rows[1] = (rows[0] + rng.integers(-1, 2, dimensions) / 1000).clip(-20, 20).round(3)
        *vectors, point = (tuple(row) for row in rows.tolist())
        assert Vectors(tuple(vectors), point).difference() <= BOUNDS["vectors"]
