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


def test_two_in_space_span_a_plane():
    """(2, -1, 0) and (1, 3, 1): their cross product (-1, -2, 7) has the length sqrt(54); their sum is (3, 2, 1)."""
    solution = Vectors(((2, -1, 0), (1, 3, 1)), (3, 2, 1))
    assert (solution.rank, solution.independent, solution.reached, solution.distance) == (2, True, True, 0)
    assert solution.determinant == pytest.approx(54**0.5)
    np.testing.assert_allclose(solution.coordinates, [1, 1], atol=1e-14)
    beside = Vectors(((2, -1, 0), (1, 3, 1)), (2, 0, 8))  # (3, 2, 1) and the cross product
    assert (beside.reached, beside.coordinates) == (False, None)
    assert beside.distance == pytest.approx(54**0.5)
    np.testing.assert_allclose(beside.nearest, [3, 2, 1], atol=1e-13)
    line = Vectors(((2, -1, 0), (-4, 2, 0)), (1, 1, 1))
    assert (line.rank, line.determinant, line.independent, line.coordinates) == (1, 0, False, None)


def test_a_point_put_into_a_plane_is_reached_despite_its_three_decimals():
    """1/3 of either vector, rounded to thousandths."""
    assert Vectors(((2, -1, 0), (1, 3, 1)), (1.0, 0.667, 0.333)).reached
    assert not Vectors(((2, -1, 0), (1, 3, 1)), (1.0, 0.667, 0.34)).reached


@pytest.mark.parametrize(
    ("vectors", "relation"),
    [
        (((2, 1), (4, 2)), (2, -1)),
        (((0.5, 0), (-0.2, 0)), (2, 5)),
        (((0, 0), (1, 2)), (1, 0)),
        (((1, 2), (0, 0)), (0, 1)),
        (((1, 0, -1), (0, 1, -1), (1, 1, -2)), (1, 1, -1)),
        (((1, 0, 0), (0, 1, 0), (3, 0, 0)), (3, 0, -1)),
        (((1.5, 0, 0), (0, 1, 0), (4.5, 0, 0)), (3, 0, -1)),
        (((2, -1, 0), (-4, 2, 0)), (2, 1)),
        (((2, 1), (-1, 2)), None),
        (((2, -1, 0), (1, 3, 1)), None),
        (((1, 0, 0), (1, 1, 0), (1, 1, 1)), None),
    ],
)
def test_only_dependent_vectors_have_a_sum_of_0_with_other_coefficients(vectors, relation):
    """web/tests/vector_algebra.test.ts expects the same of the browser."""
    solution = Vectors(vectors, (0,) * len(vectors[0]))
    assert solution.relation == relation
    assert (relation is None) == solution.independent
    if relation:
        np.testing.assert_allclose(solution.matrix @ relation, 0, atol=1e-12)


def test_relations_of_random_dependent_vectors():
    rng = np.random.default_rng(1)
    for _ in range(100):
        u, v = rng.integers(-20_000, 20_001, (2, 3)) / 1000
        a, b = rng.integers(-3, 4, 2)
        solution = Vectors((tuple(u), tuple(v), tuple((a * u + b * v).round(3))), (0, 0, 0))
        terms = np.abs(solution.matrix) @ np.abs(solution.relation)
        assert any(solution.relation) and (np.abs(solution.matrix @ solution.relation) <= 1e-13 * terms).all()


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
    with pytest.raises(ValueError):
        Vectors(((1, 0), (0, 1), (1, 1)), (1, 1))


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


def test_two_vectors_in_space_keep_the_bound_of_the_check():
    rng = np.random.default_rng(2)
    for nearly in (True, False) * 200:
        u, v = rng.uniform(-20, 20, (2, 3)).round(3)
        v = (u + rng.integers(-1, 2, 3) / 1000).clip(-20, 20).round(3) if nearly else v
        a, b = rng.uniform(-0.5, 0.5, 2).round(1)
        solution = Vectors((tuple(u), tuple(v)), tuple((a * u + b * v).round(3)))
        assert solution.difference() <= BOUNDS["vectors"]
