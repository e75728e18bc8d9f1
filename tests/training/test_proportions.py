"""The interval of a share: published values, the ends, and how often it contains the truth."""

import numpy as np
import pytest

from training.proportions import wilson_interval


@pytest.mark.parametrize(
    ("count", "total", "expected"),
    [(0, 10, (0, 0.2775)), (10, 10, (0.7225, 1)), (5, 10, (0.2366, 0.7634)), (15, 148, (0.0624, 0.1605))],
)
def test_known_intervals(count, total, expected):
    """The last one is an example of Newcombe 1998, table I, and the others solve (p - n)^2 = 1.96^2 p (1 - p) / n."""
    assert wilson_interval(count, total) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize(("count", "total"), [(1, 3), (2, 40), (39, 40), (500, 1000)])
def test_the_ends_solve_the_equation_of_the_score(count, total):
    for bound in wilson_interval(count, total):
        assert abs(bound - count / total) == pytest.approx(1.959964 * (bound * (1 - bound) / total) ** 0.5)


def test_no_trials_and_impossible_counts():
    assert wilson_interval(0, 0) == (0, 1)
    with pytest.raises(ValueError, match="3 of 2 is no share"):
        wilson_interval(3, 2)


def test_it_contains_the_truth_about_19_times_in_20():
    counts = np.random.default_rng(0).binomial(60, 0.1, size=4000)
    inside = [low <= 0.1 <= high for low, high in (wilson_interval(int(count), 60) for count in counts)]
    assert 0.93 < np.mean(inside) < 0.98
