"""Spearman's correlation: by hand, by counting, and undefined cases."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.attribution.agreement import average_ranks, spearman


def counted_ranks(values: list[float]) -> list[float]:
    """One more than how many are smaller, plus half of how many others are equal."""
    return [
        1 + sum(other < value for other in values) + (sum(other == value for other in values) - 1) / 2
        for value in values
    ]


def test_ranks_by_hand():
    assert average_ranks(np.array([10.0, -3.0, 7.0])).tolist() == [3, 1, 2]
    assert average_ranks(np.array([2.0, 5.0, 2.0, 5.0, 5.0, 1.0])).tolist() == [2.5, 5, 2.5, 5, 5, 1]


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3, 4], [10, 20, 30, 400], 1.0),
        ([1, 2, 3, 4], [5, 4, 3, -9], -1.0),
        # without ties 1 - 6 sum d^2 / (n (n^2 - 1)): d = 0, 1, 1 -> 1 - 12 / 24
        ([1, 2, 3], [1, 3, 2], 0.5),
        # d = 1, 1, 1, 1, 0 -> 1 - 24 / 120
        ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], 0.8),
        # ranks 1.5, 1.5, 3 against 1, 2, 3: sum of products 1.5, lengths sqrt(1.5) and sqrt(2)
        ([7, 7, 9], [1, 2, 3], 1.5 / 3**0.5),
    ],
)
def test_correlations_by_hand(first, second, expected):
    assert spearman(np.array(first, float), np.array(second, float)) == pytest.approx(expected, abs=1e-15)


@given(st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=3, max_size=12))
def test_correlations_equal_pearson_of_counted_ranks(pairs):
    first, second = (np.array(side, float) for side in zip(*pairs, strict=True))
    a, b = counted_ranks(first.tolist()), counted_ranks(second.tolist())
    np.testing.assert_array_equal(average_ranks(first), a)
    result = spearman(first, second)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert result is None
    else:
        assert result == pytest.approx(np.corrcoef(a, b)[0, 1], abs=1e-12)
        assert spearman(second, first) == result and abs(result) <= 1
        assert spearman(np.exp(first), second) == result  # only the order counts


def test_too_few_or_constant_values_have_no_correlation():
    assert spearman(np.array([1.0, 2]), np.array([2.0, 1])) is None
    assert spearman(np.array([]), np.array([])) is None
    assert spearman(np.array([4.0, 4, 4]), np.array([1.0, 2, 3])) is None


def test_values_that_cannot_be_ranked_are_refused():
    with pytest.raises(ValueError, match="one length"):
        spearman(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="no number"):
        spearman(np.array([1, 2, np.nan]), np.zeros(3))
